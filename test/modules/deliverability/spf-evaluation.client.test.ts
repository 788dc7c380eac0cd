import { afterEach, expect, it } from 'vitest'
import { evaluateSpf, type SpfQuestion } from '../../../src/modules/deliverability/probes.client.ts'
import { type DnsRecords, type DnsServer, startDnsServer } from '../../support/servers/dns-server.ts'

let server: DnsServer
afterEach(() => server.close())

const HOST = 'mail.example.test'
const ADDRESS = '192.0.2.25'

async function evaluate(zone: Record<string, DnsRecords>, question: Partial<SpfQuestion> = {}) {
  server = await startDnsServer(zone)
  const answer = await evaluateSpf(
    { host: HOST, address: ADDRESS, ...question },
    // The second try is for an answer that is late on a busy machine.
    { dnsServers: [server.address], timeoutMs: 1_000, tries: 2, timeMsMax: 30_000, evaluationMsMax: 30_000 },
  )
  return answer
}

it.each<[string, Record<string, DnsRecords>, string]>([
  ['names it', { [HOST]: { TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] } }, 'pass'],
  ['names the addresses of the host', { [HOST]: { TXT: ['v=spf1 a -all'], A: [ADDRESS] } }, 'pass'],
  [
    'names mail servers',
    { [HOST]: { TXT: ['v=spf1 mx -all'], MX: [[10, 'mx.example.test']] }, 'mx.example.test': { A: [ADDRESS] } },
    'pass',
  ],
  [
    'includes a host that names it',
    { [HOST]: { TXT: ['v=spf1 include:_spf.example.test -all'] }, '_spf.example.test': { TXT: [`v=spf1 ip4:${ADDRESS} -all`] } },
    'pass',
  ],
  ['forbids it', { [HOST]: { TXT: ['v=spf1 ip4:192.0.2.1 -all'] } }, 'fail'],
  ['does not like it', { [HOST]: { TXT: ['v=spf1 ~all'] } }, 'softfail'],
  ['says nothing of it', { [HOST]: { TXT: ['v=spf1 ip4:192.0.2.1'] } }, 'neutral'],
  ['is missing', { [HOST]: { A: [ADDRESS] } }, 'none'],
  ['has a mistake', { [HOST]: { TXT: ['v=spf1 ipv4:192.0.2.1 -all'] } }, 'permerror'],
  ['exists twice', { [HOST]: { TXT: ['v=spf1 -all', 'v=spf1 a -all'] } }, 'permerror'],
  ['includes itself', { [HOST]: { TXT: [`v=spf1 include:${HOST} -all`] } }, 'permerror'],
  ['is not answered', { [HOST]: { TXT: ['v=spf1 -all'], fault: 'silence' } }, 'temperror'],
  ['fails', { [HOST]: { TXT: ['v=spf1 -all'], fault: 'SERVFAIL' } }, 'temperror'],
])('of an address is told when the record %s', async (_, zone, result) => {
  expect(await evaluate(zone)).toEqual({ address: ADDRESS, result, comment: expect.any(String) })
})

it('of an IPv6 address is told', async () => {
  const zone = { [HOST]: { TXT: ['v=spf1 ip6:2001:db8::/32 -all'] } }
  expect(await evaluate(zone, { address: '2001:db8::25' })).toMatchObject({ result: 'pass' })
})

it.each([
  ['names the address', { '_spf.example.test': { TXT: [`v=spf1 ip4:${ADDRESS} -all`] } }, 'pass'],
  ['does not', { '_spf.example.test': { TXT: ['v=spf1 -all'] } }, 'fail'],
  ['has no record', { '_spf.example.test': { A: [ADDRESS] } }, 'permerror'],
])('is that of a record that is not published when what it includes %s', async (_, zone, result) => {
  const answer = await evaluate(zone, { record: 'v=spf1 include:_spf.example.test -all' })
  expect(answer.result).toBe(result)
  expect(server.queries).not.toContain(`TXT ${HOST}`)
})
