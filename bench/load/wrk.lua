-- REQUESTS: a file with a JSON body a line; RESULT: where the numbers go
local bodies = {}
for line in io.lines(os.getenv("REQUESTS")) do bodies[#bodies + 1] = line end
local requests, at = {}, 0
function init(args)
  for index, body in ipairs(bodies) do
    requests[index] = wrk.format("POST", "/api/check/resources", { ["content-type"] = "application/json" }, body)
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local errors = summary.errors
  local file = io.open(os.getenv("RESULT"), "w")
  file:write(string.format('{"requests":%d,"p50":%d,"p99":%d,"worst":%d,"errors":%d}', summary.requests, latency:percentile(50),
    latency:percentile(99), latency.max, errors.status + errors.connect + errors.read + errors.write + errors.timeout))
  file:close()
end
