// What a person confirms before: deleting a domain, exporting contacts, changing owners, making a key with full access. Each operation is
// called by an owner who has not confirmed, and found by what it did: a new way to one of these acts is found without a list.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../../src/http/operation.ts'
import { UNKNOWN_ID } from '../support/builders/emails.ts'
import { callAs, type SignedInPerson, signInPerson } from '../support/clients/people.ts'
import { forEvery } from '../support/for-every.ts'
import { type Records, recordsOf } from '../support/records/records.ts'
import { type Answer, shared, startTestService } from '../support/servers/service.ts'
import { formOf } from './forms.ts'

const service = shared(() => startTestService(), 120_000)

let records: Records
beforeAll(() => {
  records = recordsOf(service)
})

const operations = (): Operation[] =>
  (service.service.app?.operations ?? []).filter(({ access, isStream }) => access !== 'operator' && access !== 'public' && !isStream)

let people = 0
/** An owner in a session of their own, who signed in some time ago. */
async function signInOwner({ isConfirmed }: { isConfirmed: boolean }): Promise<SignedInPerson> {
  people += 1
  const person = await signInPerson(service, `owner-${people}`, { roles: { [service.teamId]: 'owner' } })
  // Longer than a new sign-in stands for a confirmation.
  await service.database.execute(`update sessions set created_at = created_at - interval '11 minutes' where id = $1`, [person.sessionId])
  const { repositories, clock } = service.service.context
  if (isConfirmed) await repositories.sessions.confirmAcrossTeams(person.sessionId, person.id, clock.now())
  return person
}

type Guarded = Record<'domains' | 'owners' | 'fullKeys' | 'exports', string[]>

/** What is changed by none of these acts stays the same. */
async function guarded(): Promise<Guarded> {
  const idsOf = async (sql: string) => (await service.database.execute<{ id: string }>(sql, [service.teamId])).map(({ id }) => id)
  return {
    domains: await idsOf('select id from domains where team_id = $1 order by id'),
    owners: await idsOf(
      `select person_id::text as id from members where team_id = $1 and role = 'owner'
       union all select id::text from invitations where team_id = $1 and role = 'owner' order by 1`,
    ),
    fullKeys: await idsOf(`select id from api_keys where team_id = $1 and permission = 'full_access' order by id`),
    exports: await idsOf(`select id from audit_log where team_id = $1 and target_type = 'contact' and act like '%export%' order by id`),
  }
}

/** Which of the acts was done in between. More domains and fewer keys are none. */
function actsBetween(before: Guarded, after: Guarded): string[] {
  const [owners, ownersAfter] = [before.owners.join(), after.owners.join()]
  return [
    ...(before.domains.some((id) => !after.domains.includes(id)) ? ['a domain deleted'] : []),
    ...(owners === ownersAfter ? [] : ['owners changed']),
    ...(after.fullKeys.some((id) => !before.fullKeys.includes(id)) ? ['a key with full access made'] : []),
    ...(after.exports.length > before.exports.length ? ['a contact exported'] : []),
  ]
}

const DECISIVE = ['owner', 'full_access']

/** A file that gives out all that is known of a person. */
const EXPORTS: Record<string, object> = { 'downloads.create': { path: '/contacts/ada@example.org/export' } }

/** The body of the example, and the same with each other word in place of one that decides, and without it. */
function bodiesOf({ id, body: schema }: Operation, example: object | undefined): (object | undefined)[] {
  const exported = EXPORTS[id]
  if (exported) return [example, exported]
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Record<string, object>; required?: string[] }
  const varied = Object.entries(properties).flatMap(([name, property]) => {
    const words = [...JSON.stringify(property).matchAll(/"(?:enum":\[([^\]]*)\]|const":("[^"]*"))/g)].flatMap(
      ([, list, one]) => JSON.parse(`[${list ?? one}]`) as string[],
    )
    if (!words.some((word) => DECISIVE.includes(word))) return []
    const { [name]: _left, ...without } = example as Record<string, unknown>
    return [...words.map((word) => ({ ...without, [name]: word })), ...(required.includes(name) ? [] : [without])]
  })
  return varied.length > 0 ? varied : [example]
}

const isRefused = ({ status, body }: Answer) => status === 403 && (body as { name: string }).name === 'confirmation_required'

/** Calls an operation in each way that could decide, on a member who is an owner and on one who is not. */
async function callEach(
  operation: Operation,
  { isConfirmed }: { isConfirmed: boolean },
): Promise<{ acts: Set<string>; refused: number; statuses: number[] }> {
  const { method, path, upload, access } = operation
  const acts = new Set<string>()
  const statuses: number[] = []
  let refused = 0
  for (const role of path.includes(':member_id') ? ['owner', 'support'] : ['owner'])
    for (const body of bodiesOf(operation, operation.example.body as object | undefined)) {
      const target =
        access === 'person' || access === 'member'
          ? null
          : await records.targetOf({ ...operation, example: { ...operation.example, body } })
      const filled = target?.path ?? path.replace(':team_id', service.teamId).replaceAll(/:\w+/g, UNKNOWN_ID)
      const person = await signInOwner({ isConfirmed })
      await service.database.execute('update members set role = $2 where team_id = $1 and person_id <> $3', [
        service.teamId,
        role,
        person.id,
      ])
      const sent = target ? target.body : body
      const before = await guarded()
      const answer = await callAs(service, person, method, filled, upload && sent ? formOf(upload.part, sent) : sent)
      for (const act of actsBetween(before, await guarded())) acts.add(act)
      statuses.push(answer.status)
      if (isRefused(answer)) refused += 1
      if (target && method !== 'GET') records.changedBy(operation)
    }
  return { acts, refused, statuses }
}

describe('an owner who has not confirmed', () => {
  it('does none of these acts by any operation, and reads from each that declares it to confirm first', { timeout: 300_000 }, () =>
    forEvery(
      operations(),
      async (operation) => {
        const { acts, refused, statuses } = await callEach(operation, { isConfirmed: false })
        expect([...acts]).toEqual([])
        if (operation.confirms === undefined) expect(refused).toBe(0)
        // Under a condition: some ways need none, and some may be wrong for another reason.
        else if (operation.confirms === true) expect(refused).toBe(statuses.length)
        else expect(refused).toBeGreaterThan(0)
      },
      ({ id }) => id,
    ),
  )
})

describe('an owner who has confirmed', () => {
  it('does all of these acts, and only by operations that declare the confirmation', { timeout: 300_000 }, async () => {
    const found = new Set<string>()
    await forEvery(
      operations(),
      async (operation) => {
        const { acts } = await callEach(operation, { isConfirmed: true })
        for (const act of acts) found.add(act)
        if (acts.size > 0) expect(operation.confirms).toBeDefined()
      },
      ({ id }) => id,
    )
    expect([...found].sort()).toEqual(['a contact exported', 'a domain deleted', 'a key with full access made', 'owners changed'])
  })
})
