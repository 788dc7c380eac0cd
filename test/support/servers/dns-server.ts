// DNS answers in wire form (RFC 1035, section 4.1), whole or wrong on purpose.

import type { RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isIP, Socket } from 'node:net'
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
  NS?: string[]
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

export const RECORD_TYPES = ['MX', 'A', 'AAAA', 'TXT', 'CNAME', 'CAA', 'PTR', 'NS'] as const
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
    case 'NS':
      return records.NS?.map(wireName) ?? []
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

export type DnsServer = {
  /** `127.0.0.1:<port>` */
  address: string
  /** Names in lower case. Other names do not exist. May be changed at any time. */
  zone: Record<string, DnsRecords>
  /** `MX example.test`, in order; `MX example.test over TCP` when the answer over UDP was too long. */
  queries: string[]
  close(): Promise<void>
}

/** Without EDNS, which Node's resolver does not use (RFC 1035, section 4.2.1). */
const UDP_OCTETS_MAX = 512
const TCP_OCTETS_MAX = 65_535

/** A DNS server on loopback that knows one zone and follows its aliases, over UDP and TCP. */
export async function startDnsServer(zone: Record<string, DnsRecords>): Promise<DnsServer> {
  const queries: string[] = []

  function answer(request: DNS.Packet, isTcp: boolean): Buffer | null {
    const [question] = request.questions
    const name = question?.name.toLowerCase() ?? ''
    const type = RECORD_TYPES.find((each) => DNS.Packet.TYPE[each] === question?.type)
    queries.push(`${type} ${name}${isTcp ? ' over TCP' : ''}`)
    const records = zone[name]
    const fault = records?.faultOf === undefined || records.faultOf === type ? records?.fault : undefined
    if (fault === 'silence' || (fault === 'truncation' && isTcp)) return null
    if (fault === 'truncation') return truncatedAnswer(request)
    if (fault === 'SERVFAIL' || fault === 'REFUSED') return wireAnswer(request, RCODES[fault], [], UDP_OCTETS_MAX)
    const { rcode, resources } = resolveIn(zone, name, type)
    const shown = fault === 'otherName' ? resources.map((resource) => ({ ...resource, owner: OTHER_NAME })) : resources
    const whole = wireAnswer(
      fault === 'otherQuestion' ? aboutAnother(request) : request,
      rcode,
      shown,
      isTcp ? TCP_OCTETS_MAX : UDP_OCTETS_MAX,
    )
    return fault === 'malformed' ? (whole?.subarray(0, -3) ?? null) : (whole ?? truncatedAnswer(request))
  }

  function handle(request: DNS.Packet, send: (response: Buffer) => Promise<Buffer>, client: RemoteInfo | Socket | IncomingMessage): void {
    const response = answer(request, client instanceof Socket)
    const { delayMs } = zone[request.questions[0]?.name.toLowerCase() ?? ''] ?? {}
    if (delayMs === undefined) reply(response)
    else setTimeout(reply, delayMs, response)

    function reply(response: Buffer | null): void {
      // The client may have disconnected meanwhile. Over TCP it returns nothing, whatever its type says.
      if (response !== null) Promise.resolve(send(response)).catch(() => {})
    }
  }

  const { udp, tcp } = await listen()
  const connections = new Set<Socket>()
  tcp.on('connection', (connection: Socket) => {
    connections.add(connection.on('close', () => connections.delete(connection)))
  })
  udp.on('request', handle)
  tcp.on('request', handle)
  return {
    address: `127.0.0.1:${udp.address().port}`,
    zone,
    queries,
    async close() {
      const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')])
      udp.close()
      tcp.close()
      for (const connection of connections) connection.destroy()
      await closed
    },
  }
}

const OTHER_NAME = 'other.test'

function aboutAnother(request: DNS.Packet): DNS.Packet {
  const [question] = request.questions
  if (question !== undefined) question.name = OTHER_NAME
  return request
}

/** Both on one port, which another program may take for TCP before we do. */
async function listen() {
  for (let attemptsLeft = 20; ; attemptsLeft -= 1) {
    const udp = DNS.createUDPServer()
    const tcp = DNS.createTCPServer()
    await udp.listen(0, '127.0.0.1')
    try {
      tcp.listen(udp.address().port, '127.0.0.1')
      await once(tcp, 'listening')
      return { udp, tcp }
    } catch (error) {
      udp.close()
      if (attemptsLeft === 0) throw error
    }
  }
}
