import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Context } from '../../../../src/context.ts'
import { checkClaim } from '../../../../src/modules/domains/claims/claim-checks.worker.ts'
import type { NewDkimKey } from '../../../../src/modules/domains/dkim/dkim-keys.repository.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { holdName } from '../../../support/records/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const NAME = 'acme.example'
const ROUNDS = 5

let context: Context
/** Every record of a claim is published. */
let published: string[]
const service = shared(() => startTestService({ clock: createMovingClock() }))
beforeAll(async () => {
  const { makeDkimKey } = service.service.context
  context = {
    ...service.service.context,
    gateways: {
      ...service.service.context.gateways,
      domainDns: { ask: async () => ({ kind: 'records', values: published }) },
    },
    // RSA keys take longer to make than a test needs to wait.
    makeDkimKey: async (algorithm, teamId): Promise<NewDkimKey> => ({ ...(await makeDkimKey('ed25519-sha256', teamId)), algorithm }),
  }
})

beforeEach(async () => {
  published = []
  await service.database.execute('truncate domains, domain_records, domain_claims cascade')
})

type Team = { teamId: string; token: string }
type Claim = { id: string; domain_id: string; record: { value: string } }

/** A claim that nothing blocks. */
async function claimBy({ token }: Team): Promise<Claim> {
  const claim = (await service.call('POST', '/domains/claim', { body: { name: NAME }, token })).body as Claim
  published.push(claim.record.value)
  return claim
}
const check = ({ teamId }: Team, { id }: Claim) => checkClaim(context, { teamId, id })
const stateOf = async ({ token }: Team, { domain_id: id }: Claim) => {
  const { body } = await service.call('GET', `/domains/${id}/claim`, { token })
  return (body as { status?: string; message?: string }).status ?? (body as { message: string }).message
}
/** Another team that receives at the name, and what a check of its domain finds: its records are the same as those of every other team. */
async function receivingHolder() {
  const { teamId } = service.other
  const { id } = await holdName(service.database, NAME, { teamId })
  await service.database.execute('update domains set sending = false, receiving = true, asked_at = created_at where id = $1', [id])
  const domain = await context.repositories.domains.find(teamId, id)
  return { id, found: domain?.records.map((record) => ({ ...record, verdict: 'right' as const, found: [] })) ?? [] }
}
const ownersOf = (name: string) =>
  service.database.execute('select id, team_id as "teamId", status, can_send as "canSend" from domains where name = $1 and owns_name', [
    name,
  ])
const remove = (id: string, { token }: Team) => service.call('DELETE', `/domains/${id}`, { token })

describe('a claim that is completed', () => {
  it('while the team that has the name deletes its domain is completed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await holdName(service.database, NAME, { teamId: service.other.teamId })
      const claim = await claimBy(service)
      const [deletion] = await Promise.all([remove(id, service.other), check(service, claim)])
      expect(deletion.status).toBe(200)
      expect(await stateOf(service, claim)).toBe('completed')
      expect(await ownersOf(NAME)).toEqual([])
      await remove(claim.domain_id, service)
    }
  })

  it('while its own domain is deleted either gets the name or leaves it where it was', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await service.database.execute('truncate domains, domain_claims cascade')
      const { id, teamId } = await holdName(service.database, NAME)
      const claim = await claimBy(service)
      await Promise.all([remove(claim.domain_id, service), check(service, claim)])
      const isCanceled = (await stateOf(service, claim)) === 'canceled'
      expect(await ownersOf(NAME)).toEqual(isCanceled ? [{ id, teamId, status: 'verified', canSend: true }] : [])
      expect(await stateOf(service, claim)).toBe(isCanceled ? 'canceled' : 'Domain not found')
    }
  })

  it.each(['has', 'has deleted'])('at the moment in which another one is leaves a name that a team %s to one of them', async (what) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await service.database.execute('truncate domains, domain_claims cascade')
      const { id } = await holdName(service.database, NAME)
      const ours = await claimBy(service)
      const theirs = await claimBy(service.other)
      if (what === 'has deleted') await service.database.execute('delete from domains where id = $1', [id])
      await Promise.all([check(service, ours), check(service.other, theirs)])
      expect([await stateOf(service, ours), await stateOf(service.other, theirs)].toSorted()).toEqual(['completed', 'superseded'])
    }
  })

  it('while the team that has the name verifies it again takes it from that team', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await service.database.execute('truncate domains, domain_claims cascade')
      const { id, found } = await receivingHolder()
      const claim = await claimBy(service)
      await Promise.all([
        check(service, claim),
        service.call('POST', `/domains/${id}/verify`, { token: service.other.token }),
        context.repositories.domainChecks.record(service.other.teamId, id, found),
      ])
      expect(await stateOf(service, claim)).toBe('completed')
      expect(await ownersOf(NAME)).toEqual([])
    }
  })

  it('is not undone by what a check of the other team found before', async () => {
    const { domains, domainChecks } = context.repositories
    const { teamId } = service.other
    const { id, found } = await receivingHolder()
    expect(found.map(({ kind }) => kind)).toEqual(['Receiving'])
    const claim = await claimBy(service)
    await check(service, claim)
    await domainChecks.record(teamId, id, found)
    expect(await domains.find(teamId, id)).toMatchObject({ status: 'not_started', ownsName: false })

    // Nor by one that begins now.
    await service.database.execute('update domains set asked_at = created_at where id = $1', [id])
    await domainChecks.record(teamId, id, found)
    expect(await domains.find(teamId, id)).toMatchObject({ status: 'pending', ownsName: false })
    expect(await ownersOf(NAME)).toEqual([])
  })

  it('takes the name from no team but the one that was judged', async () => {
    const judged = await holdName(service.database, NAME)
    const claim = await claimBy(service)
    await service.database.execute('delete from domains where id = $1', [judged.id])
    const owner = await holdName(service.database, NAME)
    const holder = { teamId: judged.teamId, domainId: judged.id, since: null, isUnproven: false }
    const completion = { holder, keys: [], holderKeys: [] }
    expect(await context.repositories.claimChecks.complete({ teamId: service.teamId, id: claim.id }, completion)).toBe('changed')
    expect(await ownersOf(NAME)).toMatchObject([owner])
    expect(await stateOf(service, claim)).toBe('pending')
  })

  it('stops what the former team sends at once, although that was allowed a moment ago', async () => {
    const { domains } = context.repositories
    const { teamId } = service.other
    await holdName(service.database, NAME, { teamId })
    const claim = await claimBy(service)
    expect(await domains.sendersAmong(teamId, [NAME])).toEqual(new Set([NAME]))
    await check(service, claim)
    expect(await domains.sendersAmong(teamId, [NAME])).toEqual(new Set())
  })

  it('keeps no key with which the former team could sign', async () => {
    const { teamId } = service.other
    const { id } = await holdName(service.database, NAME, { teamId })
    const key = await context.makeDkimKey('rsa-sha256', teamId)
    await service.database.execute(
      `insert into dkim_keys (id, team_id, domain_id, selector, algorithm, public_key, private_key, key_version, created_at, seen_at)
       values ($1, $2, $3, 'ph7', $4, $5, $6, $7, now(), now())`,
      [key.id, teamId, id, key.algorithm, key.publicKey, key.privateKey, key.keyVersion],
    )
    const { dkimKeys } = context.repositories
    expect(await dkimKeys.signingKeysOf(teamId, id)).toHaveLength(1)
    const claim = await claimBy(service)
    await check(service, claim)
    expect(await dkimKeys.signingKeysOf(teamId, id)).toEqual([])
    const keys = await service.database.execute<{ selector: string; domainId: string }>(
      'select selector, domain_id as "domainId" from dkim_keys order by domain_id, selector',
    )
    const selectorsOf = (domainId: string) => keys.filter((each) => each.domainId === domainId).map(({ selector }) => selector)
    // The records of ph1 to ph7 may still be published.
    expect([selectorsOf(id), selectorsOf(claim.domain_id)]).toEqual([
      ['ph8', 'ph9'],
      ['ph8', 'ph9'],
    ])
  })
})
