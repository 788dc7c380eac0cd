// What each role sees of a team, in the API and in the console: the markers of the sections that it may read, and no other. And what no one sees of the
// mail of the installation.

import { beforeAll, expect, it } from 'vitest'
import { describeApi } from '../../../../src/cli/generated/generated-files.ts'
import type { Operation } from '../../../../src/http/operation.ts'
import { DAY_MS } from '../../../../src/lib/clock.ts'
import type { MemberRole } from '../../../../src/lib/member-roles.ts'
import { SCOPES_OF_ROLES } from '../../../../src/modules/accounts/people/roles.ts'
import { teamOperations } from '../../../house/openapi-document.ts'
import { signInAs } from '../../../support/clients/console.ts'
import { OWN_PAGE } from '../../../support/clients/people.ts'
import { CONTACT_ADDRESSES, createMarkedTeam, type MarkedTeam, RECIPIENT, shownIn } from '../../../support/records/section-markers.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const ids = teamOperations(await describeApi()).map(({ operation }) => operation.operationId)
const service = shared(() => startTestService({ environment: { SMTP_RELAY_URL: 'smtp://127.0.0.1:9' } }), 120_000)
let marked: MarkedTeam
let reading: Operation[]
beforeAll(async () => {
  marked = await createMarkedTeam(service)
  const operations = new Map(service.service.app?.operations.map((operation) => [operation.id, operation]))
  reading = ids.flatMap((id) => operations.get(id) ?? []).filter(({ method }) => method === 'GET')
})

/** What the answers of operations show someone of this role, by operation. */
async function seenAs(role: MemberRole): Promise<Map<string, string>> {
  const cookie = await signInAs(service.service.context, service.teamId, role)
  const api = new Map<string, string>()
  for (const operation of reading) {
    const { path } = await marked.records.targetOf(operation)
    const { status, text } = await service.call('GET', path, { token: null, headers: { cookie, ...OWN_PAGE } })
    expect([operation.id, status]).toEqual([operation.id, status === 403 ? 403 : operation.statuses.at(-1)])
    if (status !== 403) api.set(operation.id, text)
  }
  return api
}

/** Their names are no one's: every role sees them beside numbers. */
const NAMED = ['broadcasts', 'domains', 'segments']

const sectionsIn = (texts: Map<string, string>): string[] => [...new Set([...texts.values()].flatMap(shownIn))].toSorted()
const readBy = (role: MemberRole): string[] =>
  SCOPES_OF_ROLES[role]
    .filter((scope) => scope.endsWith(':read') && scope !== 'audiences:read' && scope !== 'numbers:read')
    .map((scope) => scope.slice(0, -':read'.length))
    .toSorted()

it.each<[MemberRole]>([['support'], ['marketer']])(
  '%s sees the sections of the role, and nothing of another',
  { timeout: 120_000 },
  async (role) => {
    const seen = await seenAs(role)
    expect(sectionsIn(seen)).toEqual([...new Set([...readBy(role), ...NAMED])].toSorted())
  },
)

it('a viewer sees names of broadcasts, segments and domains, and no person anywhere', async () => {
  const seen = await seenAs('viewer')
  expect(sectionsIn(seen)).toEqual(NAMED)
  for (const [where, text] of seen) {
    expect([where, CONTACT_ADDRESSES.test(text)]).toEqual([where, false])
    expect([where, text.includes(RECIPIENT)]).toEqual([where, false])
  }
})

it('no operation with full access, or as an owner, shows anything of the mail of the installation', async () => {
  const marker = 'xqinstallationqx'
  const { context } = service.service
  await context.repositories.suppressions.add(service.teamId, [{ email: `${marker}-of-the-team@example.com`, origin: 'manual' }])
  const mail = { to: `${marker}@people.example`, subject: marker, text: `Here: ${marker}`, secret: `https://x.example/${marker}` }
  await context.installationMails.send({ kind: 'link', ...mail, expiresAt: new Date(context.clock.now().getTime() + DAY_MS) })
  expect(await service.database.execute('select from installation_mails where content is not null')).toHaveLength(1)
  const found: string[] = []
  let controls = 0
  for (const operation of reading) {
    const { path } = await marked.records.targetOf(operation)
    const { text } = await service.call('GET', path)
    if (text.includes(`${marker}-of-the-team`)) controls += 1
    if (text.replaceAll(`${marker}-of-the-team`, '').includes(marker)) found.push(operation.id)
  }
  for (const [path, text] of await seenAs('owner')) if (text.replaceAll(`${marker}-of-the-team`, '').includes(marker)) found.push(path)
  expect(found).toEqual([])
  // What belongs to the team is found in the same way.
  expect(controls).toBeGreaterThan(0)
})
