// The story of a list: from the file to the person who unsubscribes, as the developer and the person experience it.
import { Resend } from 'resend'
import { beforeAll, expect, it } from 'vitest'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { startSmtpSink } from '../support/servers/smtp-sink.ts'

let resend: Resend

const sink = shared(() => startSmtpSink())
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker', SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}` } }))
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const CSV = 'email,first_name,unsubscribed\nada@example.com,Ada,false\ngrace@example.com,Grace,\n"not an address",Nobody,\n'

/** Imports the list, as the same developer does every month, and returns the counts. */
async function importList(segmentId: string, topicId: string): Promise<object> {
  const { data, error } = await resend.contacts.imports.create({
    file: new Blob([CSV], { type: 'text/csv' }),
    segments: [{ id: segmentId }],
    topics: [{ id: topicId, subscription: 'opt_in' }],
  })
  expect(error).toBeNull()
  return until(async () => {
    const { data: found } = await resend.contacts.imports.get(data?.id ?? '')
    expect(found?.status).toBe('completed')
    return found?.counts ?? {}
  })
}

async function unsubscribeByOneClick(contact: string, query = ''): Promise<number> {
  const { body } = await service.call('GET', `/contacts/${contact}/unsubscribe-link${query}`)
  const { pathname } = new URL((body as { url: string }).url)
  // As a mail program does it: no credential, no page, no question (RFC 8058, section 3.2).
  const response = await fetch(`${service.url}${pathname}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  })
  return response.status
}

const stateOf = async (email: string) => {
  const { data: contact } = await resend.contacts.get({ email })
  const { data: topics } = await resend.contacts.topics.list({ email })
  return { unsubscribed: contact?.unsubscribed, topics: topics?.data.map(({ name, subscription }) => `${name}: ${subscription}`) }
}

it('a person who asked for no more mail gets none, however often the list is imported again', async () => {
  const { data: segment } = await resend.segments.create({ name: 'Readers' })
  const { data: news } = await resend.topics.create({ name: 'News', defaultSubscription: 'opt_in' })
  const ids = { segment: segment?.id ?? '', news: news?.id ?? '' }

  expect(await importList(ids.segment, ids.news)).toEqual({ total: 3, created: 2, updated: 0, skipped: 0, failed: 1 })
  const { data: members } = await resend.contacts.list({ segmentId: ids.segment })
  expect(members?.data.map(({ email }) => email).sort()).toEqual(['ada@example.com', 'grace@example.com'])

  // Ada wants no more mail at all, Grace only no news.
  expect(await unsubscribeByOneClick('ada@example.com')).toBe(200)
  expect(await unsubscribeByOneClick('grace@example.com', `?topic_id=${ids.news}`)).toBe(200)
  const decided = {
    ada: { unsubscribed: true, topics: ['News: opt_in'] },
    grace: { unsubscribed: false, topics: ['News: opt_out'] },
  }
  expect({ ada: await stateOf('ada@example.com'), grace: await stateOf('grace@example.com') }).toEqual(decided)

  // The list is imported again, while they are there and after they were deleted.
  expect(await importList(ids.segment, ids.news)).toEqual({ total: 3, created: 0, updated: 2, skipped: 0, failed: 1 })
  expect({ ada: await stateOf('ada@example.com'), grace: await stateOf('grace@example.com') }).toEqual(decided)
  for (const email of ['ada@example.com', 'grace@example.com']) expect((await resend.contacts.remove({ email })).error).toBeNull()
  expect((await resend.contacts.get({ email: 'ada@example.com' })).error?.name).toBe('not_found')
  expect(await importList(ids.segment, ids.news)).toEqual({ total: 3, created: 2, updated: 0, skipped: 0, failed: 1 })
  expect({ ada: await stateOf('ada@example.com'), grace: await stateOf('grace@example.com') }).toEqual(decided)

  // Mail of the topic reaches neither of them, but every other recipient.
  const { data: sent } = await resend.emails.send({
    from: 'news@example.com',
    to: ['ada@example.com', 'grace@example.com', 'new@example.com'],
    subject: 'News',
    text: 'News.',
    topicId: ids.news,
  })
  await until(async () => expect((await resend.emails.get(sent?.id ?? '')).data?.last_event).toBe('delivered'))
  expect(sink.messages.flatMap(({ to }) => to)).toEqual(['new@example.com'])
})
