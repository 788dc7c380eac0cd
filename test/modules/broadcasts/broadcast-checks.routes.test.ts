import { expect, it } from 'vitest'
import { addMembers, createBroadcast, LINK_MISSING } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { SENDER_POLICY: 'verified' } }))
/** Counts opens and clicks of all mail. */
const tracked = shared(() =>
  startTestService({
    environment: {
      SENDER_POLICY: 'any',
      PUBLIC_URL: 'https://api.example.net',
      TRACKING_HOST: 'track.example.net',
      TRACKING_DEFAULT: 'opens,clicks',
    },
  }),
)
const anyone = shared(() => startTestService({ environment: { SENDER_POLICY: 'any' } }))

const LINK = '<p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>'

type Checks = { html_bytes: number | null; data: { code: string; level: string; message: string; about: string | null }[] }

async function checksOf(id: string, of = service): Promise<Checks> {
  const { status, body, text } = await of.call('GET', `/broadcasts/${id}/checks`)
  if (status !== 200) throw new Error(`The broadcast was not checked: ${text}`)
  return body as Checks
}

const codesOf = ({ data }: Checks): string[] => data.map(({ level, code, about }) => `${level} ${code} ${about}`)

async function segmentOfOne(of = service): Promise<string> {
  const id = await addSegment(of)
  await addMembers(of, id, { [`ada@${id}.example.org`]: {} })
  return id
}

it('finds what is wrong with the content, the sender and the segment, and what cannot be sent first', async () => {
  const segmentId = await addSegment(service)
  const html = '<a href="shop.example.com">Shop</a> {{{contact.nothing}}} <img src="https://cdn.example.com/a.png" width="1">'
  const id = await createBroadcast(service, { segment_id: segmentId, html })
  const checks = await checksOf(id)
  expect(codesOf(checks)).toEqual([
    'error domain_not_registered example.com',
    'error placeholder_unknown null',
    'error link_broken shop.example.com',
    'warning unsubscribe_link_missing html',
    `warning segment_empty ${segmentId}`,
    'warning alt_missing https://cdn.example.com/a.png',
  ])
  expect(checks.data.find(({ code }) => code === 'unsubscribe_link_missing')?.message).toBe(LINK_MISSING)
  const { status } = await service.call('POST', `/broadcasts/${id}/send`, { body: {} })
  expect(status).toBe(403)
})

it('finds nothing in what can be sent', async () => {
  const id = await createBroadcast(anyone, { segment_id: await segmentOfOne(anyone), html: LINK })
  // Where everyone may send from any domain, one that is not registered is only a warning.
  expect(codesOf(await checksOf(id, anyone))).toEqual(['warning domain_not_registered example.com'])
  const { status } = await anyone.call('POST', `/broadcasts/${id}/send`, { body: {} })
  expect(status).toBe(200)
  // It is being sent: its sender and its segment are not looked at again.
  expect(codesOf(await checksOf(id, anyone))).toEqual([])
})

it('says what sending would be refused for', async () => {
  const id = await createBroadcast(anyone, { segment_id: await segmentOfOne(anyone), html: ' ', text: ' ' })
  const { data } = await checksOf(id, anyone)
  const { body } = await anyone.call('POST', `/broadcasts/${id}/send`, { body: {} })
  expect(data[0]).toEqual({ code: 'sending_refused', level: 'error', message: (body as { message: string }).message, about: null })
})

it('measures the HTML as it is sent, with its values, its preview text and the links that count clicks', async () => {
  const segment_id = await segmentOfOne(anyone)
  const html = `<body>${'<p>Lorem ipsum</p>'.repeat(500)}${'<a href="https://shop.example.com/">Shop</a>'.repeat(20)}${LINK}</body>`
  const plain = await checksOf(await createBroadcast(anyone, { segment_id, html }), anyone)
  expect(plain.html_bytes).toBeGreaterThan(html.length)
  const previewed = await checksOf(await createBroadcast(anyone, { segment_id, html, preview_text: 'What is new' }), anyone)
  expect(previewed.html_bytes).toBeGreaterThan((plain.html_bytes ?? 0) + 100)
  const counted = await checksOf(await createBroadcast(tracked, { segment_id: await segmentOfOne(tracked), html }), tracked)
  // Twenty links of some hundred characters each, and an image.
  expect(counted.html_bytes).toBeGreaterThan((plain.html_bytes ?? 0) + 3_000)
  const long = await checksOf(await createBroadcast(anyone, { segment_id, html: `${html}${'<p>Lorem ipsum</p>'.repeat(6_000)}` }), anyone)
  expect(codesOf(long)).toContain(`warning html_too_large ${long.html_bytes}`)
  const none = await checksOf(await createBroadcast(anyone, { segment_id, html: null, text: 'News: {{{UNSUBSCRIBE_URL}}}' }), anyone)
  expect(none.html_bytes).toBeNull()
})

it('checks a template, whose values are not known', async () => {
  const input = {
    name: 'Order',
    html: '<a href="#">Shop</a> {{{contact.nothing}}} {{{PRODUCT}}}',
    variables: [{ key: 'PRODUCT', type: 'string' }],
  }
  const { body } = await service.call('POST', '/templates', { body: input })
  const { id } = body as { id: string }
  const { body: checks } = await service.call('GET', `/templates/${id}/checks`)
  expect(checks).toMatchObject({
    object: 'template_checks',
    id,
    html_bytes: input.html.length,
    data: [
      { code: 'placeholder_unknown', level: 'warning', message: expect.stringContaining('contact.nothing') },
      { code: 'link_empty', level: 'warning', about: '#' },
    ],
  })
})
