import { beforeEach, describe, expect, it } from 'vitest'
import { claimRecordValue } from '../../../../src/modules/domains/claims/claim-states.ts'
import { failure, outcome } from '../../../support/builders/answers.ts'
import { publishRecords } from '../../../support/builders/domains.ts'
import { emailInput, send } from '../../../support/builders/emails.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { holdName } from '../../../support/records/emails.ts'
import { startDnsServer } from '../../../support/servers/dns-server.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const HOUR_MS = 3_600_000
const OWNED = 'Another team has this domain. If it is yours, claim it with POST /domains/claim.'

const dns = shared(() => startDnsServer({}))
const clock = createMovingClock()
const service = shared(() =>
  startTestService({
    clock,
    environment: { DNS_SERVERS: dns.address, ROLES: 'api,worker', MAIL_HOSTNAME: 'mx.posthaste.example', SENDER_POLICY: 'verified' },
  }),
)

/** Each test has its own, because the workers of the service may still be busy with that of the test before. */
let name = ''
let names = 0
beforeEach(() => {
  for (const host of Object.keys(dns.zone)) delete dns.zone[host]
  name = `acme${++names}.example`
})

type Shown = { name: string; type: string; value: string; status: string }
type Domain = { id: string; status: string; records: Shown[]; recommended_records: Shown[] }
type Claim = { id: string; domain_id: string; status: string; blocked_reason: string | null; record: { value: string } }
type Team = { teamId: string; token: string }

const call = async <Body>({ token }: Team, method: string, path: string, body?: object): Promise<Body> => {
  const answer = await service.call(method, path, { token, ...(body && { body }) })
  expect(answer.status).toBeLessThan(300)
  return answer.body as Body
}
const domainOf = (team: Team, id: string) => call<Domain>(team, 'GET', `/domains/${id}`)
const claimOf = (team: Team, { domain_id: id }: Claim) => call<Claim>(team, 'GET', `/domains/${id}/claim`)
const askFor = (team: Team, { domain_id: id }: Claim) => call<Claim>(team, 'POST', `/domains/${id}/claim/verify`)
const dkimOf = ({ records }: Domain) => records.find((record) => record.name.includes('_domainkey'))
const stateOf = async (team: Team, claim: Claim) => {
  const { status, blocked_reason: reason } = await claimOf(team, claim)
  return reason === null ? status : `${status} ${reason}`
}
const untilState = (team: Team, claim: Claim, state: string) => until(async () => expect(await stateOf(team, claim)).toBe(state))
const untilVerified = (team: Team, id: string) => until(async () => expect((await domainOf(team, id)).status).toBe('verified'))
const sendAs = (team: Team, changes: object = {}) =>
  service.call('POST', '/emails', { token: team.token, body: emailInput({ from: `Acme <hello@${name}>`, ...changes }) })
/** What a team may send from is remembered for a second. */
const untilSends = (team: Team) => until(async () => expect((await sendAs(team)).status).toBe(200))

const publish = (domain: Domain) => publishRecords(dns, domain, { root: name })
function publishClaim({ record }: Claim, ...others: string[]): void {
  dns.zone[name] = { ...dns.zone[name], TXT: [...others, record.value] }
}

/** The domain of a team that verified it some hours ago. */
async function verified(team: Team, { hoursAgo = 24, ...body }: { hoursAgo?: number; capabilities?: object } = {}): Promise<Domain> {
  const domain = await call<Domain>(team, 'POST', '/domains', { name, ...body })
  publish(domain)
  await call(team, 'POST', `/domains/${domain.id}/verify`)
  await untilVerified(team, domain.id)
  const due = await checkOf(domain)
  clock.advance(hoursAgo * HOUR_MS)
  // What the daily check finds must not mix with what the test does next.
  if (due.dueAt <= clock.now()) await until(async () => expect((await checkOf(domain)).checkedAt).toEqual(clock.now()))
  return domainOf(team, domain.id)
}
async function checkOf({ id }: Domain): Promise<{ dueAt: Date; checkedAt: Date }> {
  const [row] = await service.database.execute<{ dueAt: Date; checkedAt: Date }>(
    'select check_due_at as "dueAt", checked_at as "checkedAt" from domains where id = $1',
    [id],
  )
  if (!row) throw new Error('The domain is gone')
  return row
}
const claimBy = (team: Team, body: object = {}) => call<Claim>(team, 'POST', '/domains/claim', { name, ...body })
const updatesOf = async ({ id }: { id: string }) =>
  (
    await service.database.execute<{ type: string; status: string }>(
      `select type, data->>'status' as status from notifications where subject_id = $1 order by id`,
      [id],
    )
  ).map(({ type, status }) => `${type} ${status}`)

/** Ready to be completed: the record is published, and nothing blocks. */
async function provenClaim(team: Team = service): Promise<Claim> {
  const claim = await claimBy(team)
  publishClaim(claim)
  return claim
}

describe('a claim', () => {
  it('moves a verified name to the team whose record is seen, with fresh keys on both sides', async () => {
    const theirs = await verified(service.other)
    const claim = await claimBy(service)
    const before = await domainOf(service, claim.domain_id)
    expect(await askFor(service, claim)).toEqual(claim)
    await until(async () => expect(dns.queries).toContain(`TXT ${name}`))
    expect(await claimOf(service, claim)).toEqual(claim)

    publishClaim(claim, 'v=spf1 -all', claimRecordValue('f00'))
    clock.advance(10_000)
    await untilState(service, claim, 'completed')

    expect(await claimOf(service, claim)).toEqual({ ...claim, status: 'completed' })
    const lost = await domainOf(service.other, theirs.id)
    const gained = await domainOf(service, claim.domain_id)
    expect([lost.status, gained.status]).toEqual(['not_started', 'not_started'])
    expect([...lost.records, ...gained.records].map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'not_started'))
    expect([theirs, before, lost, gained].map((domain) => dkimOf(domain)?.name)).toEqual([
      ...['ph1._domainkey', 'ph1._domainkey', 'ph3._domainkey', 'ph3._domainkey'],
    ])
    expect(new Set([theirs, before, lost, gained].map((domain) => dkimOf(domain)?.value)).size).toBe(4)
    expect(await updatesOf(theirs)).toEqual([
      ...['domain.created not_started', 'domain.updated pending', 'domain.updated verified', 'domain.updated not_started'],
    ])
    expect(await updatesOf(gained)).toEqual(['domain.created not_started', 'domain.updated not_started'])
  })

  it('stops the former team at once, keeps the name for the new one, and leaves verification to it', async () => {
    const theirs = await verified(service.other)
    await untilSends(service.other)
    clock.advance(24 * HOUR_MS)
    const claim = await provenClaim()
    await askFor(service, claim)
    await untilState(service, claim, 'completed')

    expect(await sendAs(service.other)).toMatchObject({ status: 403, body: { message: expect.stringContaining('has not verified') } })
    expect((await sendAs(service)).status).toBe(403)
    const again = await service.call('POST', `/domains/${theirs.id}/verify`, { token: service.other.token })
    expect(outcome(again)).toEqual(failure(403, 'validation_error', OWNED))
    // Opened keys are remembered for so long.
    clock.advance(10_000)
    expect(await service.service.context.senderIdentityOf(service.other.teamId, name)).toMatchObject({ signers: [], returnPathHost: null })

    publish(await domainOf(service, claim.domain_id))
    await call(service, 'POST', `/domains/${claim.domain_id}/verify`)
    await untilVerified(service, claim.domain_id)
    await untilSends(service)
  })

  it('reserves the name for seven days', async () => {
    const receiving = { capabilities: { sending: 'disabled', receiving: 'enabled' } }
    const theirs = await verified(service.other, receiving)
    const claim = await provenClaim()
    await askFor(service, claim)
    await untilState(service, claim, 'completed')
    const verify = () => service.call('POST', `/domains/${theirs.id}/verify`, { token: service.other.token })
    clock.advance(7 * 24 * HOUR_MS - 1)
    expect((await verify()).status).toBe(403)
    clock.advance(1)
    publish(await domainOf(service.other, theirs.id))
    expect((await verify()).status).toBe(200)
    await untilVerified(service.other, theirs.id)
  })

  it('is blocked for a day after the other team got the name, and then completed without being asked again', async () => {
    await verified(service.other, { hoursAgo: 23 })
    const claim = await provenClaim()
    await askFor(service, claim)
    await untilState(service, claim, 'blocked grace_period')

    const { TXT } = dns.zone[name] ?? {}
    dns.zone[name] = { fault: 'SERVFAIL' }
    clock.advance(10_000)
    await until(async () => expect(await dueIn(claim)).toBe(50_000))
    expect(await stateOf(service, claim)).toBe('blocked grace_period')

    dns.zone[name] = { ...(TXT && { TXT }) }
    clock.advance(HOUR_MS)
    await untilState(service, claim, 'completed')
  })

  it('is blocked while the other team has scheduled emails from the domain, in whatever form it writes it', async () => {
    const theirs = await verified(service.other)
    await untilSends(service.other)
    const scheduled = await send(
      service,
      {
        from: `Ümläut <hello@${name.toUpperCase().replace('.', '。')}>`,
        scheduled_at: new Date(clock.now().getTime() + 72 * HOUR_MS).toISOString(),
      },
      { token: service.other.token },
    )
    clock.advance(25 * HOUR_MS)
    const claim = await provenClaim()
    await askFor(service, claim)
    await untilState(service, claim, 'blocked pending_scheduled_emails')
    expect((await domainOf(service.other, theirs.id)).status).toBe('verified')

    await call(service.other, 'POST', `/emails/${scheduled}/cancel`)
    clock.advance(10_000)
    expect(await askFor(service, claim)).toMatchObject({ status: 'pending', blocked_reason: null })
    await untilState(service, claim, 'completed')
  })

  it('is blocked for a day after the other team sent from the domain, and not by its other mail', async () => {
    await verified(service.other)
    await holdName(service.database, `sub.${name}`, { teamId: service.other.teamId })
    await untilSends(service.other)
    clock.advance(24 * HOUR_MS - 1)
    expect((await sendAs(service.other, { from: `hello@sub.${name}` })).status).toBe(200)
    const claim = await provenClaim()
    await askFor(service, claim)
    await untilState(service, claim, 'blocked recent_owner_activity')
    clock.advance(HOUR_MS)
    await untilState(service, claim, 'completed')
  })

  it('stays as it is while the resolver does not answer, and until its record is there', async () => {
    await verified(service.other)
    const claim = await claimBy(service)
    dns.zone[name] = { fault: 'SERVFAIL' }
    await askFor(service, claim)
    await until(async () => expect(await dueIn(claim)).toBe(10_000))
    dns.zone[name] = { TXT: [claim.record.value.slice(0, -1), `${claim.record.value}0`] }
    clock.advance(10_000)
    await until(async () => expect(await dueIn(claim)).toBe(50_000))
    clock.advance(50_000)
    await until(async () => expect(await dueIn(claim)).toBe(240_000))
    expect(await claimOf(service, claim)).toEqual(claim)
  })

  it('is not completed once it has expired', async () => {
    await verified(service.other)
    const claim = await claimBy(service)
    await askFor(service, claim)
    await until(async () => expect(await dueIn(claim)).toBe(10_000))
    publishClaim(claim)
    clock.advance(7 * 24 * HOUR_MS)
    await until(async () => expect(await dueIn(claim)).toBe(null))
    expect(await stateOf(service, claim)).toBe('expired')
  })

  it('is completed for one of two teams, and superseded for the other, which can claim the name from it', async () => {
    await holdName(service.database, name)
    const ours = await claimBy(service)
    const theirs = await claimBy(service.other)
    dns.zone[name] = { TXT: [ours.record.value, theirs.record.value] }
    await Promise.all([askFor(service, ours), askFor(service.other, theirs)])
    await until(async () =>
      expect([await stateOf(service, ours), await stateOf(service.other, theirs)].toSorted()).toEqual(['completed', 'superseded']),
    )

    const isOurs = (await stateOf(service, ours)) === 'completed'
    const [winner, won, loser, lost] = isOurs ? [service, ours, service.other, theirs] : [service.other, theirs, service, ours]
    const refused = await service.call('POST', `/domains/${lost.domain_id}/claim/verify`, { token: loser.token })
    expect(outcome(refused)).toEqual(
      failure(403, 'validation_error', 'Another team has taken over this domain. Claim it again with POST /domains/claim.'),
    )
    const again = await claimBy(loser)
    publishClaim(again)
    await askFor(loser, again)
    await untilState(loser, again, 'blocked grace_period')
    clock.advance(24 * HOUR_MS)
    await untilState(loser, again, 'completed')
    expect(await stateOf(winner, won)).toBe('superseded')
    expect(await service.call('POST', `/domains/${won.domain_id}/verify`, { token: winner.token })).toMatchObject({ status: 403 })
  })

  it('is completed when the other team has deleted its domain', async () => {
    const theirs = await verified(service.other)
    const claim = await provenClaim()
    await call(service.other, 'DELETE', `/domains/${theirs.id}`)
    await askFor(service, claim)
    await untilState(service, claim, 'completed')
  })

  it('fails when its team has verified the domain without it', async () => {
    const theirs = await verified(service.other, { capabilities: { sending: 'disabled', receiving: 'enabled' } })
    const claim = await claimBy(service)
    // The other team never proved the name, and its time for that has passed.
    await service.database.execute(`delete from domain_records where domain_id = $1 and kind = 'DKIM'`, [theirs.id])
    await service.database.execute('update domains set receiving_unproven_until = $2 where id = $1', [theirs.id, clock.now()])
    const domain = await domainOf(service, claim.domain_id)
    publish(domain)
    await call(service, 'POST', `/domains/${domain.id}/verify`)
    await untilVerified(service, domain.id)
    publishClaim(claim)
    await askFor(service, claim)
    await untilState(service, claim, 'failed')
    expect(await claimOf(service, claim)).toMatchObject({ failure_reason: 'Your team has verified this domain without the claim.' })
    expect((await domainOf(service, domain.id)).status).toBe('verified')
  })
})

/** Milliseconds until the claim is checked again; null: never. */
async function dueIn({ id }: Claim): Promise<number | null> {
  const [row] = await service.database.execute<{ due: Date | null }>('select check_due_at as due from domain_claims where id = $1', [id])
  return row?.due ? row.due.getTime() - clock.now().getTime() : null
}
