/** Loads the protobuf descriptors in the background after a start, a file at a time, so that the first unusual call need not wait for all of them. */
import { file_google_protobuf_descriptor, file_google_protobuf_struct, file_google_protobuf_timestamp } from "@bufbuild/protobuf/wkt";
import { file_authz_audit_v1_audit } from "../../../proto/gen/authz/audit/v1/audit_pb.js";
import { file_authz_effect_v1_effect } from "../../../proto/gen/authz/effect/v1/effect_pb.js";
import { file_authz_engine_v1_engine } from "../../../proto/gen/authz/engine/v1/engine_pb.js";
import { file_authz_policy_v1_policy } from "../../../proto/gen/authz/policy/v1/policy_pb.js";
import { file_authz_request_v1_request } from "../../../proto/gen/authz/request/v1/request_pb.js";
import { file_authz_response_v1_response } from "../../../proto/gen/authz/response/v1/response_pb.js";
import { file_authz_schema_v1_schema } from "../../../proto/gen/authz/schema/v1/schema_pb.js";
import { file_authz_svc_v1_svc } from "../../../proto/gen/authz/svc/v1/svc_pb.js";
import { file_google_rpc_status } from "../../../proto/gen/google/rpc/status_pb.js";
import { startBackgroundWork, type Pace } from "../background-work.ts";

// Files are listed after those that they import. Merely referring to a generated constant loads its file (`scripts/build-scripts.mjs`).
const files: readonly (() => unknown)[] = [
  () => file_google_protobuf_descriptor,
  () => file_google_protobuf_struct,
  () => file_google_protobuf_timestamp,
  () => file_authz_effect_v1_effect,
  () => file_authz_schema_v1_schema,
  () => file_authz_engine_v1_engine,
  () => file_authz_policy_v1_policy,
  () => file_authz_audit_v1_audit,
  () => file_authz_request_v1_request,
  () => file_authz_response_v1_response,
  () => file_authz_svc_v1_svc,
  () => file_google_rpc_status,
];

/**
 * In milliseconds. A server that has just started has more urgent work, and a busy one should not delay requests for descriptors that
 * it may never need.
 */
const pace: Pace = { after: 5000, pause: 100, latest: 300_000 };

/** Starts loading; returns a function that stops it. */
export const preloadDescriptors = (): (() => void) => startBackgroundWork(files, pace);
