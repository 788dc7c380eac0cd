import { expect, it } from 'vitest'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { startDnsServer } from '../../../support/servers/dns-server.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const dns = shared(() =>
  startDnsServer({
    'example.com': { NS: ['ns-1.awsdns-21.com', 'ns-2.awsdns-22.net'] },
    'zone.example.com': { NS: ['ada.ns.cloudflare.com'] },
    'mail.example.com': { A: ['192.0.2.1'] },
    'example.org': { NS: ['ns1.example.net', 'not-ns.cloudflare.com.example.net'] },
    'example.net': { fault: 'SERVFAIL' },
  }),
)
const service = shared(() => startTestService({ environment: { DNS_SERVERS: dns.address, MAIL_HOSTNAME: 'mx.posthaste.example' } }))

async function register(name: string): Promise<string> {
  const { body } = await service.call('POST', '/domains', { body: { name } })
  return (body as { id: string }).id
}

it('answers every record of a domain as a line of a zone file', async () => {
  const id = await register('send.example.com')
  const { status, body } = await service.call('GET', `/domains/${id}/zone-file`)
  const { filename, text } = body as { filename: string; text: string }
  expect({ status, filename, lines: text.split('\n').map((line) => line.replace(/"v=DKIM1.*/, 'KEY')) }).toEqual({
    status: 200,
    filename: 'send.example.com.zone',
    lines: [
      'send.send.example.com. 3600 IN MX 10 mx.posthaste.example.',
      expect.stringMatching(/^send\.send\.example\.com\. 3600 IN TXT "v=spf1 /),
      'ph1._domainkey.send.example.com. 3600 IN TXT KEY',
      'ph2._domainkey.send.example.com. 3600 IN TXT KEY',
      '_dmarc.example.com. 3600 IN TXT "v=DMARC1; p=none;"',
      '',
    ],
  })
})

it.each([
  ['mail.example.com', { zone: 'example.com', name: 'Amazon Route 53' }],
  ['zone.example.com', { zone: 'zone.example.com', name: 'Cloudflare', name_servers: ['ada.ns.cloudflare.com'] }],
  ['example.org', { zone: 'example.org', name: null, guide_url: null }],
  ['example.net', { zone: 'example.net', name: null, name_servers: [] }],
])('tells who hosts the DNS of %s', async (name, expected) => {
  const id = await register(name)
  const { status, body } = await service.call('GET', `/domains/${id}/dns-host`)
  expect({ status, body }).toMatchObject({ status: 200, body: { object: 'dns_host', id, ...expected } })
})

it.each(['zone-file', 'dns-host'])('has no %s of a domain of another team', async (part) => {
  const id = await register(`${part}.example.com`)
  expect((await service.call('GET', `/domains/${id}/${part}`, { token: service.other.token })).status).toBe(404)
  expect((await service.call('GET', `/domains/${UNKNOWN_ID}/${part}`)).status).toBe(404)
})
