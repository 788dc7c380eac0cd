// Mail from senders whose domain the team does not have, tracked because the operator wants it.
import PostalMime from 'postal-mime'
import { beforeAll, expect, it } from 'vitest'
import { send } from '../../../support/builders/emails.ts'
import { requestAt } from '../../../support/clients/raw-requests.ts'
import { createJumpingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { startRelayService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const clock = createJumpingClock()

const service = shared(() =>
  startRelayService({
    clock,
    environment: {
      PUBLIC_URL: 'https://api.example.net:8443',
      TRACKING_HOST: 'track.example.net',
      TRACKING_DEFAULT: 'opens,clicks',
      TRACKING_STORE_IP: 'false',
      TRACKING_HONEYPOT: 'true',
      TRUST_PROXY: '127.0.0.1',
    },
  }),
)
beforeAll(() => {
  service.startWorker()
})

async function deliver() {
  const count = service.sink.messages.length
  const id = await send(service, { to: 'ann@example.org', html: '<a href="https://shop.example.com/">x</a>' })
  await until(async () =>
    expect(((await service.call('GET', `/emails/${id}`)).body as { last_event: string }).last_event).toBe('delivered'),
  )
  const { html = '' } = await PostalMime.parse(service.sink.messages[count]?.raw ?? '')
  const [link = '', trap = ''] = [...html.matchAll(/<a href="https:\/\/track\.example\.net:8443(\/t\/c\/[\w-]+)"/g)].map(([, path]) => path)
  clock.advance(60_000)
  return { id, html, link, trap }
}

/** Through a proxy that gives the service a name of its own, and says which one the reader used. */
const request = (path: string, host = 'track.example.net:8443') =>
  requestAt(service, 'posthaste:3000', path, {
    headers: {
      'x-forwarded-host': host,
      'x-forwarded-for': '192.0.2.7',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    },
  })

async function clicksOf(id: string): Promise<unknown[]> {
  await service.service.context.trackedEvents.flush()
  const { body } = await service.call('GET', `/emails/${id}/events`)
  return (body as { data: { type: string; detail: unknown }[] }).data
    .filter(({ type }) => type === 'email.clicked')
    .map(({ detail }) => detail)
}

it('leads through the tracking host of the installation, and no addresses are stored', async () => {
  const { id, html, link } = await deliver()
  expect(html).toMatch(/<img src="https:\/\/track\.example\.net:8443\/t\/o\//)
  expect((await request(link)).headers.get('location')).toBe('https://shop.example.com/')
  expect(await clicksOf(id)).toEqual([
    {
      click: { link: 'https://shop.example.com/', timestamp: clock.now().toISOString(), userAgent: expect.stringContaining('Firefox') },
      is_machine: false,
    },
  ])
})

it('the proxy says at which host a link was followed', async () => {
  const { link } = await deliver()
  expect((await request(link, 'TRACK.example.net')).status).toBe(302)
  expect((await request(link, 'links.example.com')).status).toBe(403)
  expect((await requestAt(service, 'track.example.net', link)).status).toBe(302)
})

it('a program that follows the link that no person can see is marked', async () => {
  const { id, html, link, trap } = await deliver()
  expect(html).toContain('style="display:none"></a>')
  await request(link)
  expect((await request(trap)).status).toBe(403)
  expect(await clicksOf(id)).toMatchObject([{ is_machine: true }])
})
