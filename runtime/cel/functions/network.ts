/** `ip(...)` and `cidr(...)`, and the methods of their values. */
import { global, method, type FunctionRow } from "../declare.ts";
import { EvalError, evalError, invariant } from "../error.ts";
import { AddressBlock, IpAddress, readBlock, readIp } from "../network.ts";
import { contains, firstOf, type Address } from "../network-address.ts";
import { bool, int, opaque, string } from "../type.ts";
import type { Opaque } from "../value.ts";

const ip = opaque("net.IP");
const cidr = opaque("net.CIDR");

function addressOf(value: Opaque): Address {
  invariant(value instanceof IpAddress, "dispatch let only addresses through");
  return value.address;
}

function blockOf(value: Opaque): AddressBlock {
  invariant(value instanceof AddressBlock, "dispatch let only ranges through");
  return value;
}

/** The 4 or 16 bytes of an address, and whether they start with the given ones of its family. */
const bytesOf = ({ bytes, family }: Address): readonly number[] => (family === 4 ? bytes.slice(12) : bytes);
const begins = (address: Address, four: readonly number[], six: readonly number[]): boolean =>
  (address.family === 4 ? four : six).every((byte, i) => byte === bytesOf(address)[i]);

const isUnspecified = (address: Address): boolean => bytesOf(address).every((byte) => byte === 0);
const isLoopback = (address: Address): boolean =>
  address.family === 4 ? address.bytes[12] === 127 : address.bytes.every((byte, i) => byte === (i === 15 ? 1 : 0));
const isMulticast = (address: Address): boolean =>
  address.family === 4 ? ((address.bytes[12] ?? 0) & 0xf0) === 0xe0 : address.bytes[0] === 0xff;
const isLinkLocalMulticast = (address: Address): boolean =>
  address.family === 4 ? begins(address, [224, 0, 0], []) : address.bytes[0] === 0xff && ((address.bytes[1] ?? 0) & 0x0f) === 2;
const isLinkLocalUnicast = (address: Address): boolean =>
  address.family === 4 ? begins(address, [169, 254], []) : address.bytes[0] === 0xfe && ((address.bytes[1] ?? 0) & 0xc0) === 0x80;
const isGlobalUnicast = (address: Address): boolean =>
  !isUnspecified(address) && !isLoopback(address) && !isMulticast(address) && !isLinkLocalUnicast(address)
  && !(address.family === 4 && begins(address, [255, 255, 255, 255], []));

const holdsAddress = (block: AddressBlock, address: Address): boolean => block.address.family === address.family && contains(block, address);
const holdsBlock = (block: AddressBlock, other: AddressBlock): boolean => block.bits <= other.bits && holdsAddress(block, firstOf(other));

function isCanonical(text: string): boolean | EvalError {
  const read = readIp(text);
  return read instanceof EvalError ? read : read.toText() === text;
}

const holdsText = (block: Opaque, text: string): boolean | EvalError => {
  const read = readIp(text);
  return read instanceof EvalError ? read : holdsAddress(blockOf(block), read.address);
};

const holdsBlockText = (block: Opaque, text: string): boolean | EvalError => {
  const read = readBlock(text);
  return read instanceof EvalError ? read : holdsBlock(blockOf(block), read);
};

const masked = (block: AddressBlock): AddressBlock => new AddressBlock(firstOf(block), block.bits);

const textOf = (value: Opaque): string | EvalError =>
  value instanceof IpAddress || value instanceof AddressBlock ? value.toText() : evalError("no such overload");

export const network: readonly FunctionRow[] = [
  global("ip",     "ip",      [string], ip,   readIp, [['ip("10.0.0.1")', 'ip("10.0.0.1")'], ['ip("2001:DB8::0:1")', 'ip("2001:db8::1")'], ['ip(dyn("::ffff:1.2.3.4"))', "error: invalid argument"]]),
  method("ip",     "cidr_ip", [cidr],   ip,   (x) => new IpAddress(blockOf(x).address), [['cidr("10.1.2.3/8").ip()', 'ip("10.1.2.3")']]),
  global("isIP",   "is_ip",   [string], bool, (text) => readIp(text) instanceof IpAddress, [['isIP("10.0.0.1")', "true"], ['isIP("10.0.0.256")', "false"]]),
  global("cidr",   "cidr",    [string], cidr, readBlock, [['cidr("10.0.0.0/8")', 'cidr("10.0.0.0/8")'], ['cidr(dyn("10.0.0.0/33"))', "error: invalid argument"]]),
  global("isCIDR", "is_cidr", [string], bool, (text) => readBlock(text) instanceof AddressBlock, [['isCIDR("::1/128")', "true"], ['isCIDR("10.0.0.0")', "false"]]),
  global("ip.isCanonical", "ip_is_canonical", [string], bool, isCanonical, [['ip.isCanonical("2001:db8::1")', "true"], ['ip.isCanonical("2001:DB8::1")', "false"]]),

  method("family",               "ip_family",                  [ip], int,  (x) => BigInt(addressOf(x).family),     [['ip("::1").family()', "6"]]),
  method("isUnspecified",        "ip_is_unspecified",          [ip], bool, (x) => isUnspecified(addressOf(x)),        [['ip("::").isUnspecified()', "true"]]),
  method("isLoopback",           "ip_is_loopback",             [ip], bool, (x) => isLoopback(addressOf(x)),           [['ip("127.0.0.1").isLoopback()', "true"]]),
  method("isGlobalUnicast",      "ip_is_global_unicast",       [ip], bool, (x) => isGlobalUnicast(addressOf(x)),      [['ip("10.0.0.1").isGlobalUnicast()', "true"]]),
  method("isLinkLocalMulticast", "ip_is_link_local_multicast", [ip], bool, (x) => isLinkLocalMulticast(addressOf(x)), [['ip("ff02::1").isLinkLocalMulticast()', "true"]]),
  method("isLinkLocalUnicast",   "ip_is_link_local_unicast",   [ip], bool, (x) => isLinkLocalUnicast(addressOf(x)),   [['ip("169.254.0.1").isLinkLocalUnicast()', "true"]]),

  method("containsIP",   "cidr_contains_ip",          [cidr, ip],     bool, (x, y) => holdsAddress(blockOf(x), addressOf(y)), [['cidr("10.0.0.0/8").containsIP(ip("10.1.2.3"))', "true"]]),
  method("containsIP",   "cidr_contains_ip_string",   [cidr, string], bool, holdsText, [['cidr("10.0.0.0/8").containsIP("11.1.2.3")', "false"]]),
  method("containsCIDR", "cidr_contains_cidr",        [cidr, cidr],   bool, (x, y) => holdsBlock(blockOf(x), blockOf(y)), [['cidr("10.0.0.0/8").containsCIDR(cidr("10.1.0.0/16"))', "true"]]),
  method("containsCIDR", "cidr_contains_cidr_string", [cidr, string], bool, holdsBlockText, [['cidr("10.1.0.0/16").containsCIDR("10.0.0.0/8")', "false"]]),
  method("masked",       "cidr_masked",               [cidr], cidr, (x) => masked(blockOf(x)), [['cidr("10.1.2.3/8").masked()', 'cidr("10.0.0.0/8")']]),
  method("isMask",       "cidr_is_mask",              [cidr], bool, (x) => masked(blockOf(x)).equals(x), [['cidr("10.0.0.0/8").isMask()', "true"], ['cidr("10.0.0.1/8").isMask()', "false"]]),
  method("prefixLength", "cidr_prefix_length",        [cidr], int,  (x) => BigInt(blockOf(x).bits), [['cidr("10.0.0.0/8").prefixLength()', "8"]]),

  global("string", "ip_to_string",   [ip],   string, textOf, [['string(ip("::1"))', '"::1"']]),
  global("string", "cidr_to_string", [cidr], string, textOf, [['string(cidr("10.0.0.0/8"))', '"10.0.0.0/8"']]),
];
