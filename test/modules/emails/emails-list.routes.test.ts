import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { emailSummary, invalid, outcome } from '../../support/builders/answers.ts'
import { emailInput, send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

/** More than the largest page, and no multiple of a page's size. */
const EMAILS = 250

let resend: Resend
/** Newest first. */
let ids: string[]

const service = shared(() => startTestService())
beforeAll(async () => {
  resend = new Resend(service.token, { baseUrl: service.url })
  const oldestFirst: string[] = []
  for (let from = 0; from < EMAILS; from += 50) {
    const batch = Array.from({ length: 50 }, (_, index) => emailInput({ subject: `Number ${from + index}` }))
    const { body } = await service.call('POST', '/emails/batch', { body: batch })
    oldestFirst.push(...(body as { data: { id: string }[] }).data.map(({ id }) => id))
  }
  ids = oldestFirst.reverse()
  await send(service, { subject: 'Not yours' }, { token: service.other.token })
})

type Page = { object: string; has_more: boolean; data: { id: string }[] }

async function page(query: Record<string, string>): Promise<{ ids: string[]; hasMore: boolean }> {
  const answer = await service.call('GET', `/emails?${new URLSearchParams(query)}`)
  const { has_more: hasMore, data } = answer.body as Page
  return { ids: data.map(({ id }) => id), hasMore }
}

const at = (index: number): string => ids[index] ?? ''

describe('GET /emails', () => {
  it('answers emails without their content, newest first, 20 unless told otherwise', async () => {
    const { data, error } = await resend.emails.list()
    const expected = ids.slice(0, 20).map((id, index) => emailSummary(id, { subject: `Number ${EMAILS - 1 - index}` }))
    expect({ data, error }).toEqual({ data: { object: 'list', has_more: true, data: expected }, error: null })
  })

  it('takes the options of the SDK', async () => {
    const { data } = await resend.emails.list({ limit: 2, after: at(4) })
    expect(data?.data.map(({ id }) => id)).toEqual(ids.slice(5, 7))
    const { data: newer } = await resend.emails.list({ limit: 2, before: at(4) })
    expect(newer?.data.map(({ id }) => id)).toEqual(ids.slice(2, 4))
  })

  it('is empty, and says so, for a team without emails', async () => {
    const stranger = await service.service.context.repositories.teams.create('Without emails')
    const answer = await service.call('GET', '/emails', { token: await service.createKey(stranger.id) })
    expect(outcome(answer)).toEqual({ status: 200, body: { object: 'list', has_more: false, data: [] } })
  })

  it('takes limits from 1 to 100', async () => {
    expect(await page({ limit: '1' })).toEqual({ ids: ids.slice(0, 1), hasMore: true })
    expect(await page({ limit: '100' })).toEqual({ ids: ids.slice(0, 100), hasMore: true })
  })

  it('leaves out the email of the cursor, in both directions', async () => {
    expect(await page({ after: at(10) })).toEqual({ ids: ids.slice(11, 31), hasMore: true })
    expect(await page({ before: at(30) })).toEqual({ ids: ids.slice(10, 30), hasMore: true })
  })

  it('says whether there is more, in the direction that was asked for', async () => {
    expect(await page({ limit: '10', after: at(EMAILS - 11) })).toEqual({ ids: ids.slice(EMAILS - 10), hasMore: false })
    expect(await page({ limit: '10', after: at(EMAILS - 12) })).toEqual({ ids: ids.slice(EMAILS - 11, EMAILS - 1), hasMore: true })
    expect(await page({ limit: '10', before: at(10) })).toEqual({ ids: ids.slice(0, 10), hasMore: false })
    expect(await page({ limit: '10', before: at(11) })).toEqual({ ids: ids.slice(1, 11), hasMore: true })
  })

  it('is empty beyond its ends', async () => {
    expect(await page({ after: at(EMAILS - 1) })).toEqual({ ids: [], hasMore: false })
    expect(await page({ before: at(0) })).toEqual({ ids: [], hasMore: false })
  })

  it.each([1, 7, 50, 100])('visits every email once, forward and back, in pages of %i', async (limit) => {
    const total = limit === 1 ? 20 : EMAILS
    const forward: string[] = []
    for (let more = true; more && forward.length < total; ) {
      const cursor = forward.at(-1)
      const { ids: found, hasMore } = await page({ limit: String(limit), ...(cursor !== undefined && { after: cursor }) })
      forward.push(...found)
      more = hasMore
    }
    expect(forward).toEqual(ids.slice(0, total))

    const back: string[] = [forward.at(-1) ?? '']
    for (let more = true; more; ) {
      const { ids: found, hasMore } = await page({ limit: String(limit), before: back.at(0) ?? '' })
      back.unshift(...found)
      more = hasMore
    }
    expect(back).toEqual(ids.slice(0, total))
  })

  it('takes an id in upper case as a cursor', async () => {
    expect(await page({ limit: '3', after: at(5).toUpperCase() })).toEqual({ ids: ids.slice(6, 9), hasMore: true })
  })

  it('takes a cursor whose record is gone, or was never there, as a position', async () => {
    const gone = await send(service)
    await service.database.execute('delete from emails where id = $1', [gone])
    expect(await page({ limit: '3', after: gone })).toEqual({ ids: ids.slice(0, 3), hasMore: true })
    expect(await page({ limit: '3', before: gone })).toEqual({ ids: [], hasMore: false })
    expect(await page({ limit: '3', after: UNKNOWN_ID })).toEqual({ ids: [], hasMore: false })
    expect(await page({ limit: '3', before: UNKNOWN_ID })).toEqual({ ids: ids.slice(-3), hasMore: true })
    expect(await page({ limit: '2', before: '00000000-0000-0000-0000-000000000000' })).toEqual({ ids: ids.slice(-2), hasMore: true })
    expect(await page({ limit: '2', after: 'ffffffff-ffff-ffff-ffff-ffffffffffff' })).toEqual({ ids: ids.slice(0, 2), hasMore: true })
  })

  it("takes another team's email as a position, and shows nothing of it", async () => {
    const { body } = await service.call('GET', '/emails', { token: service.other.token })
    const [theirs] = (body as Page).data
    expect(await page({ limit: '2', after: theirs?.id ?? '' })).toEqual({ ids: ids.slice(0, 2), hasMore: true })
    expect(await page({ limit: '2', before: theirs?.id ?? '' })).toEqual({ ids: [], hasMore: false })
  })

  it('ignores what it does not know', async () => {
    expect(await page({ limit: '1', color: 'red', __proto__x: '1' })).toEqual({ ids: ids.slice(0, 1), hasMore: true })
  })

  it.each([
    ['limit=0', 'The `limit` parameter must be a number from 1 to 100. It is 0.'],
    ['limit=101', 'The `limit` parameter must be a number from 1 to 100. It is 101.'],
    ['limit=-1', 'The `limit` parameter must be a number from 1 to 100. It is -1.'],
    ['limit=99999999999999999999999', 'The `limit` parameter must be a number from 1 to 100. It is 1e+23.'],
    ['limit=abc', 'The `limit` parameter must be a whole number.'],
    ['limit=', 'The `limit` parameter must be a whole number.'],
    ['limit=1.5', 'The `limit` parameter must be a whole number.'],
    ['limit=1&limit=2', 'The `limit` parameter is given 2 times. Give it once.'],
    ['limit=%00', 'The `limit` parameter holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.'],
    ['after=', 'The `after` parameter must be a UUID. It is "".'],
    ['after=abc', 'The `after` parameter must be a UUID. It is "abc".'],
    ['before=1', 'The `before` parameter must be a UUID. It is "1".'],
    [`after=urn:uuid:${UNKNOWN_ID}`, `The \`after\` parameter must be a UUID. It is "urn:uuid:${UNKNOWN_ID}".`],
    [`before={${UNKNOWN_ID}}`, `The \`before\` parameter must be a UUID. It is "{${UNKNOWN_ID}}".`],
    [`after=${UNKNOWN_ID.replaceAll('-', '')}`, `The \`after\` parameter must be a UUID. It is "${UNKNOWN_ID.replaceAll('-', '')}".`],
    [`after=${UNKNOWN_ID}%0A`, `The \`after\` parameter must be a UUID. It is "${UNKNOWN_ID}\\n".`],
    ['after=%ED%A0%80', 'The `after` parameter must be a UUID. It is "%ED%A0%80".'],
    [`after=${'x'.repeat(5_000)}`, `The \`after\` parameter must be a UUID. It is "${'x'.repeat(80)}"..., which is longer.`],
    [`after=${UNKNOWN_ID}&after=${UNKNOWN_ID}`, 'The `after` parameter is given 2 times. Give it once.'],
    [`after=${UNKNOWN_ID}&before=${UNKNOWN_ID}`, 'Give either `after` or `before`, not both.'],
  ])('refuses ?%s', async (query, message) => {
    for (const path of ['/emails', '/logs', '/api-keys', `/emails/${at(0)}/events`, `/emails/${at(0)}/attachments`]) {
      expect(outcome(await service.call('GET', `${path}?${query}`)), path).toEqual(invalid(message))
    }
  })
})
