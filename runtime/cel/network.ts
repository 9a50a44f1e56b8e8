/** Internet addresses and ranges as CEL values: no zones, no IPv4 written as IPv6. */
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

/** Reads an address. */
export function readIp(text: string): IpAddress | EvalError {
  const address = parseAddress(text);
  return address === undefined || (address.family === 6 && isMapped(address))
    ? evalError("invalid argument", `invalid IP address: ${text}`)
    : new IpAddress(address);
}

/** Reads a range; its length has no leading zero. */
export function readBlock(text: string): AddressBlock | EvalError {
  const range = /\/0[0-9]/.test(text) ? undefined : parseRange(text);
  return range === undefined || (range.address.family === 6 && isMapped(range.address))
    ? evalError("invalid argument", `invalid CIDR address: ${text}`)
    : new AddressBlock(range.address, range.bits);
}
