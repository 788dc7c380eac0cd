// The first page of the console: what a team sees of itself, and nothing of another.
import { beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { newReputation } from '../../../src/modules/limits/reputation-evaluation.ts'
import { saveReputationsAcrossTeams } from '../../../src/modules/limits/reputations.repository.ts'
import { send } from '../../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string
let theirs: string

const service = shared(() =>
  startTestService({
    // Nothing listens there.
    environment: { SMTP_RELAY_URL: 'smtp://127.0.0.1:9', PUBLIC_URL: 'http://posthaste.example' },
  }),
)
beforeAll(async () => {
  cookie = await signIn(service)
  theirs = await signIn(service, service.other.token)
})

const open = (as = cookie, path = '/console') => visit(service, 'GET', path, { cookie: as })
const attentionOf = ({ text }: Seen) => /<h2 id="attention">[\s\S]*?<\/section>/.exec(text)?.[0] ?? ''
const queueOf = ({ text }: Seen) =>
  (/<h2 id="queue">[\s\S]*?<\/section>/.exec(text)?.[0] ?? '').replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
const firstOf = ({ text }: Seen) => /<section class="sheet parts first"[\s\S]*?<\/section>/.exec(text)?.[0] ?? ''
/** That of the service, which may differ from the database's. */
const now = () => `timestamptz '${new Date().toISOString()}'`
const execute = (sql: string, values: unknown[] = []) => service.database.execute(sql, values)

it('is the first page, for who is signed in', async () => {
  for (const path of ['/console', '/console/']) {
    expect((await open(cookie, path)).text).toContain('<h1>Overview</h1>')
    const { status, location } = await visit(service, 'GET', path)
    expect({ status, location }).toEqual({ status: 303, location: '/console/sign-in' })
  }
})

describe('the first steps', () => {
  it('tick themselves off, and go once all are done', async () => {
    // As the first team of an installation, which begins with a key.
    await execute('update teams t set created_at = k.created_at from api_keys k where k.team_id = t.id and t.id = $1', [
      service.other.teamId,
    ])
    const at = async () =>
      firstOf(await open(theirs))
        .match(/<li class="done"><b>[^<]*/g)
        ?.map((item) => item.split('<b>')[1]) ?? []
    expect(await at()).toEqual([])
    await service.createKey(service.other.teamId)
    expect(await at()).toEqual(['Make an API key for your program'])
    await send(service, {}, { token: service.other.token })
    expect(await at()).toEqual(['Make an API key for your program', 'Send a first email'])
    await service.call('POST', '/domains', { token: service.other.token, body: { name: 'first.example' } })
    expect(firstOf(await open(theirs))).toContain('Publish its DNS records')
    await execute(`update domains set can_send = true where team_id = $1`, [service.other.teamId])
    expect(firstOf(await open(theirs))).toBe('')
  })

  it('count the first key of a team that began without one', async () => {
    const { teams, attention } = service.service.context.repositories
    const { id } = await teams.create('Signs in by a provider')
    await execute("update teams set created_at = created_at - interval '1 hour' where id = $1", [id])
    expect((await attention.beginnings(id)).hasOwnKey).toBe(false)
    await service.createKey(id)
    expect((await attention.beginnings(id)).hasOwnKey).toBe(true)
  })

  it('give a request that is right for this host', async () => {
    const request = /<code id="request">([^<]*)</
      .exec((await open()).text)?.[1]
      ?.replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
    expect(request).toBe(
      `curl http://posthaste.example/emails -H 'Authorization: Bearer re_...' -H 'Content-Type: application/json' -d '{"from":"you@example.com","to":"delivered@simulator.test","subject":"Hello","text":"It works."}'`,
    )
    const body = JSON.parse(/-d '([^']*)'/.exec(request ?? '')?.[1] ?? '')
    expect((await service.call('POST', '/emails', { token: await service.createKey(service.other.teamId), body })).status).toBe(200)
  })
})

describe('the first email', () => {
  const formIn = ({ text }: Seen): string =>
    /first-email"><input type="hidden" name="form_id" value="([^"]+)"/.exec(firstOf({ text } as Seen))?.[1] ?? ''
  const post = (as: string, form: Record<string, string>) =>
    visit(service, 'POST', '/console/first-email', { cookie: as, origin: 'http://posthaste.example', form })

  it('is sent by a button, once, and is shown', async () => {
    const { id: teamId } = await service.service.context.repositories.teams.create('Beginners')
    const token = await service.createKey(teamId)
    const as = await signIn(service, token)
    const form = { form_id: formIn(await open(as)) }
    const sent = await post(as, form)
    expect(sent).toMatchObject({ status: 303, location: expect.stringMatching(/^\/console\/emails\/[0-9a-f-]{36}\?done=first$/) })
    expect((await post(as, form)).location).toBe(sent.location)
    const { data } = (await service.call('GET', '/emails', { token })).body as { data: object[] }
    expect(data).toMatchObject([{ from: 'you@example.com', to: ['delivered@simulator.test'], subject: 'Hello' }])
    expect((await open(as, sent.location ?? '')).text).toContain('The email was accepted.')
    expect(formIn(await open(as))).toBe('')
    expect((await open(as, '/console/first-email')).location).toBe('/console')
  })

  it('is not sent by a form of another day, which is said', async () => {
    const seen = await post(cookie, { form_id: createId(createMovingClock(new Date(Date.now() - 2 * 86_400_000))) })
    expect(seen.status).toBe(422)
    expect(firstOf(seen)).toContain('This form is too old. Please send it again.')
  })

  it('is not offered, and not sent, where no address simulates a recipient, or without a domain where one must be verified', async () => {
    for (const [environment, sentence] of [
      [{ SIMULATOR_DOMAINS: ',' }, 'No address simulates a recipient here. Send your first email by the command.'],
      [{ SENDER_POLICY: 'verified' }, 'Mail is sent from verified domains only. Add one first.'],
    ] as [Record<string, string>, string][]) {
      const other = await startTestService({ environment })
      const as = await signIn(other)
      const shown = await visit(other, 'GET', '/console', { cookie: as })
      const refused = await visit(other, 'POST', '/console/first-email', { cookie: as, form: {} })
      await other.close()
      expect([formIn(shown), refused.status]).toEqual(['', 422])
      expect(firstOf(refused)).toContain(sentence)
    }
  })
})

it('counts today and the last seven days, from the counters', async () => {
  const before = new Date(Date.now() - 2 * 86_400_000)
  await execute(
    `insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
     values ($1, $2, 'd', '00000000-0000-0000-0000-000000000000', 'delivered', 1200), ($1, $3, 'd', '00000000-0000-0000-0000-000000000000', 'delivered', 34)`,
    [service.teamId, before, new Date()],
  )
  const { text } = await open()
  const tile = /<div class="sheet tile delivered">[\s\S]*?<\/div>/.exec(text)?.[0] ?? ''
  expect(tile).toContain('<b>34</b> <span class="soft">today</span>')
  expect(tile).toContain('1,234 in 7 days')
  expect(tile).toMatch(/aria-label="Delivered, day by day: .* 1,200, .* 0, .* 34\."/)
  expect(tile).toContain('<dt><a href="/console/emails?state=delivered">Delivered</a></dt>')
  const table = /<details class="sheet" id="numbers">[\s\S]*?<\/details>/.exec(text)?.[0] ?? ''
  const rows = [...table.matchAll(/<tr><th scope="row">[^<]*<\/th>(.*?)<\/tr>/g)].map(([, cells = '']) => cells.match(/[\d,]+(?=<)/g))
  expect(rows).toEqual([...Array(4).fill(ZEROS), ['0', '1,200', '0', '0'], ZEROS, ['0', '34', '0', '0']])
  expect((await open(theirs)).text).not.toContain('1,234')
})

const ZEROS = ['0', '0', '0', '0']

describe('the queue', () => {
  const deliver = (teamId: string, destination: string, columns: { due: string; ready: boolean; kind?: string }) =>
    execute(
      `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready) values ($1, $2, $6, $3, $1, ${columns.due}, $5 and $4)`,
      [createId(), teamId, destination, true, columns.ready, columns.kind ?? 'transactional'],
    )

  it('says what waits, since when, and where it goes, of this team only', async () => {
    await execute('delete from deliveries')
    expect(queueOf(await open())).toContain('Nothing waits to be sent.')
    await deliver(service.teamId, 'a.example', { due: `${now()} - interval '90 minutes'`, ready: true })
    await deliver(service.teamId, 'a.example', { due: `${now()} - interval '1 minute'`, ready: true, kind: 'bulk' })
    await deliver(service.teamId, 'b.example', { due: `${now()} + interval '1 hour'`, ready: false })
    await deliver(service.teamId, 'b.example', { due: `'infinity'`, ready: false })
    await deliver(service.other.teamId, 'c.example', { due: now(), ready: true })
    expect(queueOf(await open())).toBe(
      ' Queue 4 deliveries: 2 due now, 1 due later, 1 paused by the operator. The oldest was due 1 hour ago. Destination Waiting a.example 2 b.example 2 ',
    )
    await execute('delete from deliveries')
  })

  it('does not say that nothing waits while others have more than a page reads', async () => {
    await execute(
      `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready)
       select gen_random_uuid(), $1, 'bulk', 'c.example', gen_random_uuid(), ${now()} + interval '1 hour', false from generate_series(1, 10000)`,
      [service.other.teamId],
    )
    await deliver(service.teamId, 'a.example', { due: `${now()} + interval '2 hours'`, ready: false })
    expect(queueOf(await open())).toBe(' Queue None of your mail is among the next to be sent. ')
    await deliver(service.teamId, 'b.example', { due: now(), ready: true })
    expect(queueOf(await open())).toContain('At least 1 delivery: 1 due now.')
    await execute('delete from deliveries')
  })
})

describe('what needs attention', () => {
  it('is nothing at first', async () => {
    expect(attentionOf(await open(theirs))).not.toContain('/console/')
  })

  it('is each thing that went wrong, with a link, for this team only', async () => {
    const [domain, webhook, broadcast, imported, automation] = Array.from({ length: 5 }, () => createId())
    const evil = `<b>"'&\u202e${'x'.repeat(10_000)}`
    const team = service.teamId
    await execute(
      `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, created_at)
       values ($1, $2, 'failed.example', 'failed.example', 'us-east-1', 'opportunistic', 'send', false, false, true, false, 'failed', ${now()})`,
      [domain, team],
    )
    await execute(
      `insert into webhooks (id, team_id, endpoint, events, status, concurrency, is_ordered, secret, secret_version, disabled_reason, created_at)
       values ($1, $2, 'https://hooks.example', '{contact.created}', 'disabled', 1, false, '', 1, 'Every attempt has failed for 5 days.', ${now()})`,
      [webhook, team],
    )
    await execute(
      `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, created_at) values ($1, $2, 'paused', $3, $1, 'f', 's', ${now()})`,
      [broadcast, team, evil],
    )
    await execute(
      `insert into contact_imports (id, team_id, status, size, encoding, delimiter, columns, on_conflict, reason, created_at)
       values ($1, $2, 'failed', 1, 'utf-8', ',', '{}', 'skip', 'Line 7 has no end.', ${now()})`,
      [imported, team],
    )
    await execute(
      `insert into automations (id, team_id, name, status, class, reentry, trigger_event, version_id, held_at, created_at, updated_at)
       values ($1, $2, 'Welcome', 'enabled', 'bulk', 'always', 'e', $1, ${now()}, ${now()}, ${now()})`,
      [automation, team],
    )
    const list = attentionOf(await open())
    for (const [section, id] of Object.entries({
      domains: domain,
      webhooks: webhook,
      broadcasts: broadcast,
      imports: imported,
      automations: automation,
    }))
      expect(list).toContain(`href="/console/${section}/${id}"`)
    expect(list).toContain('Every attempt has failed for 5 days.')
    expect(list).not.toContain('publish its DKIM record')
    await execute(`update domains set status = 'verified', receiving_unproven_until = ${now()} where id = $1`, [domain])
    expect(attentionOf(await open())).toMatch(new RegExp(`/console/domains/${domain}".*publish its DKIM record`))
    expect(list).toContain('Line 7 has no end.')
    expect(list).not.toContain('<b>"')
    expect(attentionOf(await open(theirs))).not.toContain('href')
  })

  it('is also what is older than much else, and says when there is more than it shows', async () => {
    const { id: team } = await service.service.context.repositories.teams.create('Has much')
    await execute(
      `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, created_at)
       select uuidv7_at(timestamptz '2001-02-03Z' + n * interval '1 second', n), $1, case when n between 2 and 7 then 'paused' else 'sent' end, 'n', $1, 'f', 's', ${now()} from generate_series(1, 1000) n`,
      [team],
    )
    await execute(
      `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, created_at)
       select uuidv7_at(timestamptz '2001-02-03Z' + n * interval '1 second', n), $1, 'd' || n || '.example', 'r', 'us-east-1', 'opportunistic', 'send', false, false, true, false, case when n = 1 then 'failed' else 'verified' end, ${now()} from generate_series(1, 300) n`,
      [team],
    )
    const as = await signIn(service, await service.createKey(team))
    const list = attentionOf(await open(as))
    expect(list).toContain('<bdi>d1.example</bdi>')
    expect(list.match(/href="\/console\/broadcasts\/[0-9a-f-]{36}"/g)).toHaveLength(5)
    expect(list.match(/And more: .*?<\/a>/g)).toEqual(['And more: <a href="/console/broadcasts">all broadcasts</a>'])
  })

  it('is a limit of emails of which 80 % are used, for this team only', async () => {
    const { teams, teamLimits, quotas } = service.service.context.repositories
    const { id: team } = await teams.create('Has a limit')
    await teamLimits.setAcrossTeams(team, { emails_per_day: 5, emails_per_month: 1_000 })
    const token = await service.createKey(team)
    const as = await signIn(service, token)
    const list = async () => attentionOf(await open(as)).replace(/<[^>]*>/g, '')
    const sendTo = (to: string[]) =>
      service.call('POST', '/emails', { token, body: { from: 'a@first.example', to, subject: 's', text: 't' } })
    await sendTo(['a@example.com', 'b@example.com', 'c@example.com'])
    expect(await list()).not.toContain('%')
    await sendTo(['a@example.com'])
    expect(await list()).toMatch(/80 % of the emails of today are used, of 5 addresses\. The next day begins .* 00:00 UTC\./)
    await sendTo(['a@example.com'])
    expect(await quotas.left(team, new Date())).toMatchObject([{ left: 0 }, { left: 995 }])
    expect(await list()).toMatch(/100 % of the emails of today are used, of 5 addresses\. More are refused until .* 00:00 UTC\./)
    expect(attentionOf(await open(theirs))).not.toContain('%')
  })

  it('is mail that is paused for bounces, with the reason', async () => {
    const { id: teamId } = await service.service.context.repositories.teams.create('Is paused')
    const as = await signIn(service, await service.createKey(teamId))
    const paused = { ...newReputation(new Date()), status: 'bulk_paused' as const, reason: '9 % of the mail bounced.' }
    await saveReputationsAcrossTeams(service.database.execute, [{ teamId, ...paused }])
    expect(attentionOf(await open(as))).toContain('9 % of the mail bounced.')
    expect(attentionOf(await open(theirs))).not.toContain('bounced.')
  })

  it('is a relay that does not answer, once that is known', async () => {
    await expect.poll(async () => attentionOf(await open(theirs))).toContain('relay does not answer')
    // What the relay said is for operators.
    expect(attentionOf(await open(theirs))).not.toMatch(/127\.0\.0\.1|refused/i)
  })

  it('is a disk that is almost full', async () => {
    const low = await startTestService({ freeBytesOf: async () => 1 })
    const text = attentionOf(await visit(low, 'GET', '/console', { cookie: await signIn(low) }))
    await low.close()
    expect(text).toContain('disk almost full')
    expect(attentionOf(await open(theirs))).not.toContain('disk almost full')
  })
})

it('updates its parts by a request that is answered only if something changed', async () => {
  const page = await open(theirs)
  const version = /data-version="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&quot;', '"') ?? ''
  const ask = (etag: string) => visit(service, 'GET', '/console/overview/progress', { cookie: theirs, headers: { 'if-none-match': etag } })
  expect((await ask(version)).status).toBe(304)
  await service.call('POST', '/emails', {
    token: service.other.token,
    body: { from: 'a@first.example', to: 'b@example.com', subject: 's', text: 't' },
  })
  const changed = await ask(version)
  expect(changed.status).toBe(200)
  expect(changed.text).toMatch(/^<div id="overview">/)
})
