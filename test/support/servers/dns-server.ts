import type { RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import DNS from 'dns2'
import { type DnsRecords, RCODES, RECORD_TYPES, resolveIn, truncatedAnswer, wireAnswer } from './dns-answer.ts'

export type { DnsRecords } from './dns-answer.ts'

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
