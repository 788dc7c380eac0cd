// DNS answers in wire form (RFC 1035, section 4.1), whole or wrong on purpose.
import { isIP } from 'node:net'
import DNS from 'dns2'
import ipaddr from 'ipaddr.js'

export type DnsRecords = {
  MX?: [preference: number, exchange: string][]
  A?: string[]
  AAAA?: string[]
  /** Each in one text, which is cut into strings of 255 octets, or in the strings that it is published in. */
  TXT?: (string | string[])[]
  /** Followed as a resolver does. */
  CNAME?: string
  CAA?: [flags: number, tag: string, value: string][]
  PTR?: string[]
  /** Seconds; 300 if absent. */
  ttl?: number
  /** Before every answer of the name; 0 if absent. */
  delayMs?: number
  /** Instead of records, for the whole name or for one type. */
  fault?: DnsFault
  faultOf?: RecordType
}

export type DnsFault =
  | 'SERVFAIL'
  | 'REFUSED'
  | 'silence'
  /** Cut over UDP, silent over TCP. */
  | 'truncation'
  /** Ends in the middle of a record. */
  | 'malformed'
  /** The records of another name. */
  | 'otherName'
  /** The answer to another question. */
  | 'otherQuestion'

export const RECORD_TYPES = ['MX', 'A', 'AAAA', 'TXT', 'CNAME', 'CAA', 'PTR'] as const
export type RecordType = (typeof RECORD_TYPES)[number]

type Resource = { owner: string; type: RecordType; ttl: number; content: Buffer }

export const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const

/** The records at the end of the name's chain of aliases, with the aliases before them. A chain that returns to itself ends there. */
export function resolveIn(zone: Record<string, DnsRecords>, name: string, type: RecordType | undefined) {
  const resources: Resource[] = []
  const passed = new Set<string>()
  let at = name
  for (;;) {
    const records = zone[at]
    if (records === undefined) return { rcode: RCODES.NXDOMAIN, resources }
    const { ttl = 300, CNAME: alias } = records
    if (alias === undefined || type === 'CNAME' || passed.has(at)) {
      if (type !== undefined) resources.push(...contentsOf(records, type).map((content) => ({ owner: at, type, ttl, content })))
      return { rcode: RCODES.NOERROR, resources }
    }
    passed.add(at)
    resources.push({ owner: at, type: 'CNAME', ttl, content: wireName(alias) })
    at = alias.toLowerCase()
  }
}

/** Null if it has more than `octetsMax`. */
export function wireAnswer(request: DNS.Packet, rcode: number, resources: Resource[], octetsMax: number): Buffer | null {
  const packet = DNS.Packet.createResponseFromRequest(request)
  packet.header.rcode = rcode
  packet.header.ra = 1
  const opening = packet.toBuffer()
  opening.writeUInt16BE(resources.length, ANSWERS_AT)
  const asked = request.questions[0]?.name.toLowerCase()
  const whole = Buffer.concat([opening, ...resources.map((resource) => wireResource(resource, resource.owner === asked))])
  return whole.length > octetsMax ? null : whole
}

/** Tells the client to ask over TCP. */
export function truncatedAnswer(request: DNS.Packet): Buffer {
  const packet = DNS.Packet.createResponseFromRequest(request)
  packet.header.tc = 1
  return packet.toBuffer()
}

/** Where the header counts the answers. */
const ANSWERS_AT = 6

const CLASS_IN = 1

/** To the name in the question (section 4.1.4). Answers are as short as those of other servers, so that a key of 2048 bits fits into a datagram. */
const POINTER = Buffer.from([0xc0, 12])

function wireResource({ owner, type, ttl, content }: Resource, isOfQuestion: boolean): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(DNS.Packet.TYPE[type], 0)
  fixed.writeUInt16BE(CLASS_IN, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(content.length, 8)
  return Buffer.concat([isOfQuestion ? POINTER : wireName(owner), fixed, content])
}

function contentsOf(records: DnsRecords, type: RecordType): Buffer[] {
  switch (type) {
    case 'MX':
      return records.MX?.map(([preference, exchange]) => Buffer.concat([uint16(preference), wireName(exchange)])) ?? []
    case 'A':
    case 'AAAA':
      return records[type]?.map(wireAddress) ?? []
    case 'TXT':
      return records.TXT?.map((text) => Buffer.concat((typeof text === 'string' ? stringsOf(text) : text).map(wireString))) ?? []
    case 'CNAME':
      return records.CNAME === undefined ? [] : [wireName(records.CNAME)]
    case 'PTR':
      return records.PTR?.map(wireName) ?? []
    case 'CAA':
      return records.CAA?.map(([flags, tag, value]) => Buffer.concat([Buffer.from([flags]), wireString(tag), Buffer.from(value)])) ?? []
  }
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

function wireAddress(address: string): Buffer {
  if (isIP(address) === 0) throw new Error(`${address} in the zone is not an IP address.`)
  return Buffer.from(ipaddr.parse(address).toByteArray())
}

/** A character string (RFC 1035, section 3.3) of at most 255 octets. */
const wireString = (text: string): Buffer => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)])

const stringsOf = (text: string): string[] => text.match(/.{1,255}/gsu) ?? ['']

function wireName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([...labels.map(wireString), Buffer.from([0])])
}
