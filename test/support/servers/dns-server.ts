import DNS from 'dns2'

export type DnsRecords = {
  MX?: [preference: number, exchange: string][]
  A?: string[]
  AAAA?: string[]
  TXT?: string[]
  /** Seconds; 300 if absent. */
  ttl?: number
  /** Instead of records, for the whole name or for one type. */
  fault?: 'SERVFAIL' | 'silence'
  faultOf?: RecordType
}

type RecordType = 'MX' | 'A' | 'AAAA' | 'TXT'

export type DnsServer = {
  /** `127.0.0.1:<port>` */
  address: string
  /** Names in lower case. Other names do not exist. May be changed at any time. */
  zone: Record<string, DnsRecords>
  /** `MX example.test`, in order. */
  queries: string[]
  close(): Promise<void>
}

const TYPES: Record<number, RecordType> = {
  [DNS.Packet.TYPE.MX]: 'MX',
  [DNS.Packet.TYPE.A]: 'A',
  [DNS.Packet.TYPE.AAAA]: 'AAAA',
  [DNS.Packet.TYPE.TXT]: 'TXT',
}

const SERVFAIL = 2
const NXDOMAIN = 3

/** A DNS server on loopback that knows one zone. Over UDP only: its answers are short. */
export async function startDnsServer(zone: Record<string, DnsRecords>): Promise<DnsServer> {
  const queries: string[] = []
  const server = DNS.createServer({
    udp: true,
    handle(request, send) {
      const response = DNS.Packet.createResponseFromRequest(request)
      const [question] = request.questions
      const name = question?.name.toLowerCase() ?? ''
      const type = TYPES[question?.type ?? 0]
      queries.push(`${type} ${name}`)
      const records = zone[name]
      const fault = records?.faultOf === undefined || records.faultOf === type ? records?.fault : undefined
      if (fault === 'silence') return
      if (records === undefined) response.header.rcode = NXDOMAIN
      else if (fault === 'SERVFAIL') response.header.rcode = SERVFAIL
      else if (question !== undefined && type !== undefined)
        response.answers = contentsOf(records, type).map((content) => ({
          ...content,
          name: question.name,
          type: question.type,
          class: question.class,
          ttl: records.ttl ?? 300,
          toBuffer: () => Buffer.alloc(0),
        }))
      // The client may have disconnected meanwhile.
      send(response).catch(() => {})
    },
  })
  const { udp } = await server.listen({ udp: { port: 0, address: '127.0.0.1' } })
  return { address: `127.0.0.1:${udp?.port}`, zone, queries, close: () => server.close() }
}

function contentsOf(records: DnsRecords, type: RecordType): object[] {
  switch (type) {
    case 'MX':
      return records.MX?.map(([priority, exchange]) => ({ priority, exchange })) ?? []
    case 'A':
    case 'AAAA':
      return records[type]?.map((address) => ({ address })) ?? []
    case 'TXT':
      return records.TXT?.map((data) => ({ data })) ?? []
  }
}
