/** The CEL types `net.IP` and `net.CIDR`. Zones and IPv4-mapped IPv6 are refused. */
import { evalError, type EvalError } from "./error.ts";
import { isMapped, parseAddress, parseRange, printAddress, type Address } from "./network-address.ts";
import { Opaque } from "./value.ts";

/** `ip("10.0.0.1")`. */
export class IpAddress extends Opaque {
  readonly typeName = "net.IP";
  readonly address: Address;
  constructor(address: Address) {
    super();
    this.address = address;
  }
  toText(): string {
    return printAddress(this.address);
  }
  equals(other: Opaque): boolean {
    return other instanceof IpAddress && other.toText() === this.toText();
  }
  print(): string {
    return `ip("${this.toText()}")`;
  }
}

/** `cidr("10.0.0.0/8")`. */
export class AddressBlock extends Opaque {
  readonly typeName = "net.CIDR";
  readonly address: Address;
  readonly bits: number;
  constructor(address: Address, bits: number) {
    super();
    this.address = address;
    this.bits = bits;
  }
  toText(): string {
    return `${printAddress(this.address)}/${this.bits}`;
  }
  equals(other: Opaque): boolean {
    return other instanceof AddressBlock && other.toText() === this.toText();
  }
  print(): string {
    return `cidr("${this.toText()}")`;
  }
}

/** Parses an IP address, or returns an error. */
export function readIp(text: string): IpAddress | EvalError {
  const address = parseAddress(text);
  return address === undefined || (address.family === 6 && isMapped(address))
    ? evalError("invalid argument", `invalid IP address: ${text}`)
    : new IpAddress(address);
}

/** Parses a CIDR range, or returns an error. The prefix length has no leading zero. */
export function readBlock(text: string): AddressBlock | EvalError {
  const range = /\/0[0-9]/.test(text) ? undefined : parseRange(text);
  return range === undefined || (range.address.family === 6 && isMapped(range.address))
    ? evalError("invalid argument", `invalid CIDR address: ${text}`)
    : new AddressBlock(range.address, range.bits);
}
