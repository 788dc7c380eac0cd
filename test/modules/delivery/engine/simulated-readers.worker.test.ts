// What a developer sees of tracking without leaving the machine: readers who are simulated, and tracked mail that was captured.
import PostalMime from 'postal-mime'
import { expect, it } from 'vitest'
import { send } from '../../../support/builders/emails.ts'
import { messageOf } from '../../../support/builders/messages.ts'
import { requestAt } from '../../../support/clients/raw-requests.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const HTML = '<p><a href="https://shop.example.com/">Shop</a></p>'

const tracking = { PUBLIC_URL: 'https://api.example.net', TRACKING_HOST: 'track.example.net', TRACKING_DEFAULT: 'opens,clicks' }
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker', DELIVERY: 'capture', ...tracking } }))

type Event = { type: string; to: string[]; detail: unknown }
const eventsOf = async (id: string) =>
  ((await service.call('GET', `/emails/${id}/events`)).body as { data: Event[] }).data
    .map(({ type, to, detail }) => ({ type, to, detail }))
    .toReversed()
const lastEventOf = async (id: string) => ((await service.call('GET', `/emails/${id}`)).body as { last_event: string }).last_event

it.each(['opened', 'clicked'])('mail to %s@ of the simulator is so after its delivery, as by a person', async (outcome) => {
  const to = `${outcome}+x@simulator.test`
  const id = await send(service, { to, html: HTML })
  await until(async () => expect(await lastEventOf(id)).toBe(outcome))

  const click = { link: 'https://simulator.test/', timestamp: expect.stringMatching(/Z$/), userAgent: 'Posthaste simulator' }
  const expected = [
    { type: 'email.sent', to: [to], detail: null },
    { type: 'email.delivered', to: [to], detail: null },
    { type: 'email.opened', to: [to], detail: { is_machine: false } },
    { type: 'email.clicked', to: [to], detail: { is_machine: false, click } },
  ]
  expect(await eventsOf(id)).toEqual(outcome === 'clicked' ? expected : expected.slice(0, 3))
  const { body } = await service.call('GET', `/emails/metrics?email_id=${id}&metrics=unique_opened,unique_clicked`)
  expect(body).toMatchObject({ totals: { unique_opened: 1, unique_clicked: outcome === 'clicked' ? 1 : 0 } })
})

it('captured mail is written with the links and the image of its first recipient, which work, and shown without them', async () => {
  const id = await send(service, { to: ['ann@example.org', 'bob@example.org'], html: HTML, text: undefined })
  await until(async () => expect(await lastEventOf(id)).toBe('delivered'))
  const { html = '' } = await PostalMime.parse(await messageOf(service, id))
  const [, image = ''] = /<img src="https:\/\/track\.example\.net(\/t\/o\/[\w-]+)"/.exec(html) ?? []
  const [, link = ''] = /<a href="https:\/\/track\.example\.net(\/t\/c\/[\w-]+)"/.exec(html) ?? []
  const { body } = await service.call('GET', `/emails/${id}`)
  expect((body as { html: string }).html).not.toContain('track.example.net')

  expect((await requestAt(service, 'track.example.net', image)).status).toBe(200)
  expect((await requestAt(service, 'track.example.net', link)).headers.get('location')).toBe('https://shop.example.com/')
  await service.service.context.trackedEvents.flush()
  const acts = (await eventsOf(id)).filter(({ type }) => type === 'email.opened' || type === 'email.clicked')
  expect(acts.map(({ type, to }) => [type, to])).toEqual([
    ['email.opened', ['ann@example.org']],
    ['email.clicked', ['ann@example.org']],
  ])
})
