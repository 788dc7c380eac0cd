import { beforeEach, describe, expect, it } from 'vitest'
import { toTimestamp } from '../../src/lib/clock.ts'
import { createId } from '../../src/lib/ids.ts'
import { toSettlement } from '../../src/modules/delivery/engine/settlements.ts'
import { UNKNOWN_ID } from '../support/builders/emails.ts'
import { claimAndBegin, claimDue, outcome, sendEmail } from '../support/builders/engine.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, command, commandWith, errorsWith } = useCommandsBesideService()

beforeEach(() => service().database.execute('truncate deliveries, queue_pauses, destination_paces, worker_leases'))

const repositories = () => service().service.context.repositories
const queue = (...args: string[]) => command('queue', ...args)
const linesOf = (out: string) => out.trimEnd().split('\n')
const rows = () =>
  service().database.execute<{ destination: string; isReady: boolean; isParked: boolean }>(
    `select destination, is_ready as "isReady", due_at = 'infinity' as "isParked" from deliveries order by destination, id`,
  )
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/** Delays one email, as a server does that refuses it for now. */
async function sendDelayed(fields: Record<string, unknown> = {}): Promise<string> {
  const workerId = createId()
  const id = await sendEmail(service(), fields)
  const begun = await claimAndBegin(service(), workerId, new Date(Date.now() + 1_000))
  await repositories().deliveries.settle(
    workerId,
    begun.map(({ delivery, attemptId }) =>
      toSettlement(delivery, attemptId, outcome('delayed', { text: 'Come back later' }), { now: new Date(), random: () => 0.5 }),
    ),
    new Date(),
  )
  return id
}

describe('queue list', () => {
  it('shows lanes, the longest first, with their counts in columns, and who sends', async () => {
    await sendEmail(service(), { to: ['a@first.test', 'b@first.test'], scheduled_at: inAnHour() })
    await sendEmail(service(), { to: 'c@second.test' }, service().other.token)
    const workerId = createId()
    await repositories().workerLeases.register(workerId)
    await claimDue(service(), workerId, new Date(Date.now() + 1_000), 1)
    await sendEmail(service(), { to: 'd@second.test' }, service().other.token)
    await sendEmail(service(), { to: 'e@second.test' }, service().other.token)

    const { status, out, errors } = await queue('list')

    expect({ status, errors }).toEqual({ status: 0, errors: errorsWith() })
    expect(linesOf(out)).toEqual([
      `CLASS          DESTINATION  READY  WAITING  NEXT DUE   LEASED  PARKED    TEAM                                  `.trimEnd(),
      `transactional  second.test      2        0  -               1       0    ${service().other.teamId}  Other team`,
      `transactional  first.test       0        2  in 60 min       0       0    ${service().teamId}  Team of the test`,
      '',
      '2 lines: 2 ready, 2 waiting, 1 leased, 0 parked.',
    ])
  })

  it('shows only what was asked for, and says how much more there is', async () => {
    for (const to of ['a@first.test', 'b@first.test', 'c@second.test', 'd@third.test']) await sendEmail(service(), { to })
    await sendEmail(service(), { to: 'e@first.test' }, service().other.token)
    const destinations = ({ out }: { out: string }) => linesOf(out).flatMap((line) => line.match(/\S+\.test/g) ?? [])

    expect(destinations(await queue('list', '--destination', 'Second.TEST'))).toEqual(['second.test'])
    expect(destinations(await queue('list', '--team', service().other.teamId, '--class', 'transactional'))).toEqual(['first.test'])
    expect((await queue('list', '--class', 'bulk')).out).toBe('Nothing of this is queued.\n')
    const limited = await queue('list', '--limit', '1', '--team', service().teamId)
    expect(destinations(limited)).toEqual(['first.test'])
    expect(limited.out).toContain('3 lines, the longest 1 shown (--limit): 4 ready, 0 waiting, 0 leased, 0 parked.\n')
    expect(limited.out).toContain('No worker is running')
  })

  it('says that nothing is queued, what is paused, and which servers ask us to slow down', async () => {
    await repositories().queuePauses.addAcrossTeams(
      { class: 'bulk', teamId: null, destination: 'first.test' },
      new Date(Date.now() - 600_000),
    )
    const pace = { connections: 1, pauseCount: 2, slowedAtMs: null }
    const pausedUntilMs = Date.now() + 299_000
    await repositories().destinationPaces.save(
      [
        { key: 'mx1.slow.test mx2.slow.test', pace: { ...pace, pausedUntilMs } },
        { key: 'mx.again.test', pace: { ...pace, pausedUntilMs: Date.now() - 1_000 } },
        { key: 'mx.fine.test', pace: { ...pace, pausedUntilMs: null } },
      ],
      createId(),
      new Date(),
    )

    const { out } = await queue('list')

    expect(linesOf(out)).toEqual([
      'The queue is empty.',
      '',
      'Paused:',
      expect.stringMatching(
        /^ {2}class bulk, destination first\.test, since \S+ \S+ UTC \(10 min ago\); resume with `queue resume --class bulk --destination first\.test`$/,
      ),
      '',
      'Backing off (mail servers that refuse for now or do not answer; their mail waits and is retried by itself):',
      '  MAIL SERVERS                 CONNECTIONS  PAUSED UNTIL                        PAUSES IN A ROW',
      expect.stringMatching(/^ {2}mx1\.slow\.test mx2\.slow\.test {12}1 {2}\S+ \S+ UTC \(in 5 min\) {16}2$/),
    ])
  })
})

describe('queue list --json', () => {
  it('says the same for programs', async () => {
    await sendEmail(service(), { to: ['a@first.test', 'b@first.test'] })
    const scheduledAt = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000)
    await sendEmail(service(), { to: 'c@second.test', scheduled_at: scheduledAt.toISOString() }, service().other.token)
    const pausedAt = new Date()
    await repositories().queuePauses.addAcrossTeams({ class: null, teamId: null, destination: 'second.test' }, pausedAt)
    const pausedUntilMs = Date.now() + 300_000
    const pace = { connections: 1, pauseCount: 2, slowedAtMs: null, pausedUntilMs }
    await repositories().destinationPaces.save([{ key: 'mx1.slow.test mx2.slow.test', pace }], createId(), new Date())

    const { status, out, errors } = await queue('list', '--json', '--limit', '1')

    expect({ status, errors }).toEqual({ status: 0, errors: errorsWith() })
    const counts = { ready: 2, waiting: 0, leased: 0, parked: 0 }
    expect(JSON.parse(out)).toEqual({
      lines: [
        { class: 'transactional', team_id: service().teamId, destination: 'first.test', ...counts, next_due_at: null, is_paused: false },
      ],
      line_count: 2,
      total: { ...counts, waiting: 1 },
      is_total_bounded: false,
      pauses: [{ class: null, team_id: null, destination: 'second.test', created_at: toTimestamp(pausedAt), restored_from: null }],
      backing_off: [
        {
          mail_servers: ['mx1.slow.test', 'mx2.slow.test'],
          connections: 1,
          paused_until: toTimestamp(new Date(pausedUntilMs)),
          pauses_in_a_row: 2,
        },
      ],
      worker_count: 0,
    })
    const other: unknown = JSON.parse((await queue('list', '--json', '--destination', 'second.test')).out)
    expect(other).toMatchObject({ lines: [{ destination: 'second.test', next_due_at: toTimestamp(scheduledAt), is_paused: true }] })
  })
})

describe('queue show', () => {
  it('tells of each recipient what is left to do, and of each attempt what came of it', async () => {
    const id = await sendDelayed({ to: ['a@first.test', 'b@second.test'], subject: 'Your receipt' })

    const { status, out, errors } = await queue('show', id)

    expect({ status, errors }).toEqual({ status: 0, errors: errorsWith() })
    expect(out).toMatch(new RegExp(`^Email ${id}\n {2}Subject +Your receipt\n {2}From +Acme <hello@example.com>\n`))
    expect(out).toContain(`${service().teamId}  Team of the test\n`)
    expect(out).toMatch(/ {2}State +delivery delayed\n/)
    expect(out).toMatch(/ {2}a@first\.test +delivery_delayed +1 {2}due in \d+ s \(\S+ \S+ UTC\)\n/)
    expect(out).toMatch(/UTC {2}b@second\.test +1 {2}delayed +mail\.example\.org {2}1 ms {2}450 Come back later\n/)
  })

  it.each([
    ['is finished', ['delivered', 'delivered'], 'delivered'],
    ['went well for some only', ['delivered', 'bounced'], '1 of 2 bounced (1 bounced, 1 delivered)'],
  ] as const)('says of an email that %s what came of it', async (_what, outcomes, words) => {
    const id = await sendEmail(service(), { to: ['a@first.test', 'b@second.test'] })
    const workerId = createId()
    const begun = await claimAndBegin(service(), workerId, new Date(Date.now() + 1_000))
    await repositories().deliveries.settle(
      workerId,
      begun.map(({ delivery, attemptId }, index) =>
        toSettlement(delivery, attemptId, outcome(outcomes[index] ?? 'delivered'), { now: new Date(), random: () => 0.5 }),
      ),
      new Date(),
    )

    const lines = linesOf((await queue('show', id)).out).map((line) => line.replaceAll(/ +/g, ' '))
    expect(lines).toContain(` State ${words}`)
  })

  it('prints the same as JSON', async () => {
    const id = await sendDelayed({ to: 'a@first.test', subject: 'Your receipt' })

    const shown: unknown = JSON.parse((await queue('show', id, '--json')).out)

    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/)
    expect(shown).toEqual({
      id,
      team_id: service().teamId,
      subject: 'Your receipt',
      from: 'Acme <hello@example.com>',
      last_event: 'delivery_delayed',
      created_at: time,
      scheduled_at: null,
      is_fetching: false,
      recipients: [
        {
          address: 'a@first.test',
          state: 'delivery_delayed',
          attempt_count: 1,
          delivery: {
            class: 'transactional',
            destination: 'first.test',
            is_ready: false,
            is_parked: false,
            is_paused: false,
            due_at: time,
            leased_by: null,
          },
        },
      ],
      attempts: [
        {
          address: 'a@first.test',
          number: 1,
          outcome: 'delayed',
          host: 'mail.example.org',
          code: 450,
          enhanced_code: null,
          text: 'Come back later',
          duration_ms: 1,
          started_at: time,
        },
      ],
    })
  })

  it('says that a delivery is put aside, and how to take it back', async () => {
    const id = await sendEmail(service(), { to: 'a@first.test' })
    await queue('pause', '--destination', 'first.test')

    const { out } = await queue('show', id)

    expect(out).toMatch(/ {2}a@first\.test +queued +0 {2}parked: paused\n/)
    expect(out).toMatch(/\n {2}No attempts so far\.\n\nPaused: resume with `queue resume --destination first\.test`\.\n$/)
  })

  it.each([['nobody'], [UNKNOWN_ID]])('refuses %s with status 1 and one line', async (id) => {
    expect(await queue('show', id)).toEqual({ status: 1, out: '', errors: errorsWith(`There is no email "${id}".\n`) })
  })
})

describe('queue retry', () => {
  it('makes due what waits for another try in the part, and nothing that is scheduled or elsewhere', async () => {
    await sendDelayed({ to: ['a@first.test', 'b@second.test'] })
    await sendEmail(service(), { to: 'c@first.test', scheduled_at: inAnHour() })

    const retried = await queue('retry', '--destination', 'first.test')

    expect(retried).toEqual({ status: 0, out: 'Due now: 1 delivery of destination first.test.\n', errors: errorsWith() })
    expect((await claimDue(service(), createId())).map(({ destination }) => destination)).toEqual(['first.test'])
    expect((await queue('retry', '--destination', 'first.test')).out).toBe('Nothing waits for a retry in destination first.test.\n')
  })
})

describe('queue pause and queue resume', () => {
  it('put ready mail of the part aside and take it back, and leave the rest alone', async () => {
    await sendEmail(service(), { to: ['a@first.test', 'b@first.test'] })
    await sendEmail(service(), { to: 'c@second.test' })

    const paused = await queue('pause', '--destination', 'first.test')

    expect(paused).toEqual({
      status: 0,
      out: expect.stringMatching(
        /^Paused: destination first\.test\. Put aside: 2 deliveries\.\n.+\nResume with `queue resume --destination first\.test`\.\n$/,
      ),
      errors: errorsWith(),
    })
    expect(await rows()).toEqual([
      { destination: 'first.test', isReady: false, isParked: true },
      { destination: 'first.test', isReady: false, isParked: true },
      { destination: 'second.test', isReady: true, isParked: false },
    ])
    expect((await queue('pause', '--destination', 'first.test')).out).toMatch(/^Paused already: .+ Put aside: 0 deliveries\.\n/)

    const resumed = await queue('resume', '--all')

    expect(resumed).toEqual({ status: 0, out: 'Resumed: destination first.test.\nTaken back: 2 deliveries.\n', errors: errorsWith() })
    expect(await claimDue(service(), createId())).toHaveLength(3)
  })

  it('leave paused what another pause holds, and say so', async () => {
    await sendEmail(service(), { to: 'a@first.test' })
    await queue('pause', '--all')
    await queue('pause', '--destination', 'first.test')

    const { out } = await queue('resume', '--destination', 'first.test')

    expect(linesOf(out)).toEqual([
      'Resumed: destination first.test.',
      'Taken back: 0 deliveries.',
      '',
      'Still paused:',
      expect.stringMatching(/^ {2}the queue, since .+; resume with `queue resume --all`$/),
    ])
    expect(await rows()).toEqual([{ destination: 'first.test', isReady: false, isParked: true }])
  })

  it('end first what a restore holds, and no pause that was set before the backup', async () => {
    await sendEmail(service(), { to: ['a@first.test', 'b@second.test'] })
    await queue('pause', '--destination', 'first.test')
    await service().database.execute('insert into queue_pauses (id, created_at, backup_at) values (gen_random_uuid(), now(), now())')
    expect((await queue('pause', '--all')).out).toMatch(/^Paused: the queue\. Put aside: 1 delivery\.\n/)

    const ofTheRestore = await queue('resume', '--all')

    expect(linesOf(ofTheRestore.out)).toEqual([
      'Resumed: the queue.',
      'Taken back: 0 deliveries.',
      '',
      'Still paused:',
      expect.stringContaining('  destination first.test, since'),
      expect.stringMatching(/^ {2}the queue, since [^,]+; resume with `queue resume --all`$/),
    ])
    expect(await repositories().queuePauses.heldSinceBackupAcrossTeams()).toBeNull()
    const all = await queue('resume', '--all')
    expect(linesOf(all.out).sort()).toEqual(['Resumed: destination first.test.', 'Resumed: the queue.', 'Taken back: 2 deliveries.'])
  })

  it('end a pause that is named while a restore holds the queue', async () => {
    await queue('pause', '--destination', 'first.test')
    await service().database.execute('insert into queue_pauses (id, created_at, backup_at) values (gen_random_uuid(), now(), now())')
    expect((await queue('resume', '--destination', 'first.test')).out).toMatch(/^Resumed: destination first\.test\.\n/)
    expect(await repositories().queuePauses.heldSinceBackupAcrossTeams()).toEqual(expect.any(Date))
  })
})

describe('filters', () => {
  const WHOLE = 'error: name a part with --team, --class or --destination, or say --all for the whole queue\n'

  it('are refused with status 1 and one line when there is no such team', async () => {
    expect(await queue('list', '--team', UNKNOWN_ID)).toEqual({
      status: 1,
      out: '',
      errors: errorsWith(`There is no team "${UNKNOWN_ID}"; \`teams list\` shows all.\n`),
    })
  })

  it.each([
    [
      'an unknown class',
      ['pause', '--class', 'urgent'],
      "error: option '--class <class>' argument 'urgent' is invalid. Allowed choices are transactional, bulk.\n",
    ],
    [
      'what is no domain',
      ['retry', '--destination', 'a@first.test'],
      "error: option '--destination <domain>' argument 'a@first.test' is invalid. Give a domain such as example.com, or relay; `queue list` shows those that have mail.\n",
    ],
    ['no filter for retry', ['retry'], WHOLE],
    ['no filter for pause', ['pause'], WHOLE],
    ['no filter for resume', ['resume'], WHOLE],
    ['a filter beside --all', ['pause', '--all', '--class', 'bulk'], 'error: give either filters or --all, not both\n'],
    [
      'a limit that is none',
      ['list', '--limit', '0'],
      "error: option '--limit <lines>' argument '0' is invalid. It must be a whole number from 1 to 10000.\n",
    ],
  ])('are refused with status 2 and one line, and nothing happens: %s', async (_what, args, errors) => {
    expect(await queue(...args)).toEqual({ status: 2, out: '', errors })
    expect(await repositories().queuePauses.listAcrossTeams()).toEqual([])
  })

  it.each(['pause', 'retry'])(
    'for %s name no domain where all mail goes through a relay, but for what was accepted before',
    async (name) => {
      const throughRelay = (domain: string) =>
        commandWith({ SMTP_RELAY_URL: 'smtp://127.0.0.1:2525' }, 'queue', name, '--destination', domain)
      await sendEmail(service(), { to: 'a@first.test' })

      expect(await throughRelay('second.test')).toEqual({
        status: 1,
        out: '',
        errors: errorsWith('All mail goes through the relay: use `--destination relay`.\n'),
      })
      expect(await repositories().queuePauses.listAcrossTeams()).toEqual([])
      expect((await throughRelay('first.test')).status).toBe(0)
      expect((await throughRelay('relay')).status).toBe(0)
    },
  )
})
