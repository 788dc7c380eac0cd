import { beforeAll, expect, it } from 'vitest'
import { bounce, happen, open } from '../../support/builders/emails.ts'
import { sendEmail } from '../../support/builders/engine.ts'
import { signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const DAY_MS = 86_400_000

let cookie: string
let domainId: string

const service = shared(() => startTestService())
beforeAll(async () => {
  domainId = ((await service.call('POST', '/domains', { body: { name: 'acme.example' } })).body as { id: string }).id
  const emailId = await sendEmail(service, { from: 'hello@acme.example' })
  const now = new Date()
  const earlier = new Date(now.getTime() - 8 * DAY_MS)
  await happen(service, emailId, [
    ...['email.sent', 'email.sent', 'email.delivered'].map((type) => ({ type: type as 'email.sent', at: now })),
    { type: 'email.bounced', at: now, data: bounce('Permanent') },
    { type: 'email.opened', at: now, data: open({ isFirst: true }) },
    { type: 'email.opened', at: now, data: open() },
    { type: 'email.sent', at: earlier },
    { type: 'email.delivered', at: earlier },
  ])
  cookie = await signIn(service)
})

const look = async (query = '', who = cookie) => (await visit(service, 'GET', `/console/metrics${query}`, { cookie: who })).text
const wordsOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
const tilesOf = (text: string) => [...text.matchAll(/<div class="sheet tile">(.*?)<\/div>/gs)].map(([, tile]) => wordsOf(tile ?? ''))
const tableOf = (text: string, title: string) => {
  const [, section = ''] = new RegExp(`<section[^>]*aria-labelledby="${title}">(.*?)</section>`, 's').exec(text) ?? []
  return [...section.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) => wordsOf(row ?? ''))
}

it('shows what became of the mail of the last seven days, compared with those before', async () => {
  const text = await look()
  expect(tilesOf(text)).toEqual([
    'Sent 2 +1 from the period before',
    'Delivered 1 50 % of sent −50 points from the period before',
    'Bounced 1 50 % of sent +50 points from the period before',
    'Complained 0 0 % of delivered same as the period before',
    'Delayed 0 same as the period before',
    'Suppressed 0 same as the period before',
    'Failed 0 same as the period before',
    'Opened 1 100 % of delivered +100 points from the period before',
    'Clicked 0 0 % of delivered same as the period before',
  ])
  expect(tableOf(text, 'sending')).toHaveLength(8)
  expect(tableOf(text, 'sending').at(-1)).toMatch(/ 2 1$/)
  expect(tableOf(text, 'domains').at(-1)).toBe('acme.example sent 2 delivered 50 % bounced 50 % opened 100 % clicked 0 %')
})

it('shows the time, the zone and the domain that are chosen', async () => {
  const text = await look(`?span=day&zone=Asia/Kolkata&domain=${domainId}`)
  expect(text.match(/<option[^>]* selected>[^<]*/g)).toEqual([
    '<option value="day" selected>Last 24 hours',
    expect.stringMatching(/^<option selected>Asia\/(Kolkata|Calcutta)$/),
    `<option value="${domainId}" selected>acme.example`,
  ])
  expect(tableOf(text, 'sending')).toHaveLength(25)
  expect(tableOf(text, 'sending')[1]).toContain('(UTC+05:30)')
})

it('offers the newest domains and the chosen one, and says so', async () => {
  await service.database.execute(
    `insert into domains select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'name', n || '.example', 'root', n || '.example'))).*
     from domains d, generate_series(1, 60) n where d.id = $1`,
    [domainId],
  )
  const newest = await look()
  const ids = [...newest.matchAll(/<option value="([0-9a-f-]{36})"/g)].map(([, id]) => id)
  expect(ids).toHaveLength(50)
  expect(newest).toContain('The newest. The page of each domain leads to its numbers.')
  const [older] = await service.database.execute<{ id: string }>(
    'select id from domains where team_id = $1 and id <> all($2::uuid[]) order by id limit 1',
    [service.teamId, ids],
  )
  expect(await look(`?domain=${older?.id}`)).toContain(`<option value="${older?.id}" selected>`)
  await service.database.execute("delete from domains where name like '%.example' and id <> $1", [domainId])
})

it('says that the period before is not kept', async () => {
  const text = await look('?span=year')
  expect(tilesOf(text)[0]).toBe('Sent 3')
  expect(text).toContain('There is no comparison with the period before: numbers are kept for 400 days.')
})

it('compares with no period in which nothing was sent', async () => {
  const text = await look('?span=month')
  expect(tilesOf(text).slice(0, 2)).toEqual(['Sent 3', 'Delivered 2 66.7 % of sent'])
  expect(text).toContain('There is no comparison with the period before: nothing was sent in it.')
})

it('shows the last seven days for words that are no choice', async () => {
  expect(await look('?span=ever&zone=Mars&domain=x')).toContain('<option value="week" selected>')
})

it('shows nothing of another team', async () => {
  const theirs = await signIn(service, service.other.token)
  const text = await look(`?domain=${domainId}`, theirs)
  expect(text).toContain('No email was sent in this time.')
  expect(text).not.toContain('acme.example')
})

it('shows the 50 domains that have sent most, and all others as one, however many there are', async () => {
  const team = await service.service.context.repositories.teams.create('Team with many domains')
  await service.database.execute(
    `insert into email_counts (team_id, bucket, domain, broadcast_id, sent, delivered)
     select $1, date_trunc('hour', $2::timestamptz), 'd' || place || '.example', '00000000-0000-0000-0000-000000000000', place, case when place <= 10000 then place else 0 end
     from generate_series(1, 10050) place`,
    [team.id, service.service.context.clock.now()],
  )
  const rows = tableOf(await look('', await signIn(service, await service.createKey(team.id))), 'domains')
  expect(rows).toHaveLength(52)
  expect([rows[1], rows[50], rows[51]]).toEqual([
    'd10050.example sent 10,050 delivered 0 % bounced 0 % opened 0 % clicked 0 %',
    'd10001.example sent 10,001 delivered 0 % bounced 0 % opened 0 % clicked 0 %',
    'All others sent 50,005,000 delivered 100 % bounced 0 % opened 0 % clicked 0 %',
  ])
})
