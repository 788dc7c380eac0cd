// Who may sign in, from the command line: it is the way in when no mail leaves, so it must say what it did, and leave a trace.
import { describe, expect, it } from 'vitest'
import { LAST_OWNER } from '../../src/modules/accounts/people/people.service.ts'
import { sessionCookieName } from '../../src/modules/accounts/sessions/sessions.pages.ts'
import { beginSession } from '../../src/modules/accounts/sessions/sessions.service.ts'
import { visit } from '../support/clients/console.ts'
import { OWN_PAGE } from '../support/clients/people.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, command: anyCommand, commandWith } = useCommandsBesideService({ environment: { PUBLIC_URL: 'http://localhost:3000' } })

const team = () => ['--team', service().teamId]
const command = (...args: string[]) => anyCommand('people', ...args)
const pathOf = ({ out }: { out: string }): string => new URL(out.trimEnd()).pathname
const persons = () => service().service.context.repositories.persons

type Row = { act: string; type: string; target: string | null; details: object }
const acts = (teamId = service().teamId) =>
  service().database.execute<Row>(
    `select act, target_type as type, target_id as target, details from audit_log where team_id = $1 and act like 'command.people.%' order by id`,
    [teamId],
  )

describe('people', () => {
  it('joins who is invited, as owner unless a role is named, once', async () => {
    expect((await command('list', ...team())).errors).toContain('This team has no member yet')
    const invited = await command('invite', 'Ada@people.example', ...team())
    expect(invited).toMatchObject({
      status: 0,
      errors: expect.stringContaining('ada@people.example joins the team as owner by it, once, within 7 days.'),
    })
    expect(invited.out).toMatch(/^http:\/\/localhost:3000\/console\/invitations\/[\w-]{43}\n$/)
    const origin = 'http://localhost:3000'
    expect((await visit(service(), 'POST', pathOf(invited), { origin, form: { name: 'Ada' } })).status).toBe(303)
    expect((await visit(service(), 'POST', pathOf(invited), { origin, form: { name: 'Eve' } })).status).toBe(403)
    const support = await command('invite', 'ben@people.example', '--role', 'support', ...team())
    expect((await visit(service(), 'POST', pathOf(support), { origin, form: { name: 'Ben' } })).status).toBe(303)
    expect(await command('invite', 'ada@people.example', ...team())).toMatchObject({
      status: 1,
      errors: expect.stringContaining('is a member of the team already'),
    })

    const { out } = await command('list', ...team())
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^ADDRESS +ROLE +STATUS +SINCE +NAME$/),
      expect.stringMatching(/^ben@people\.example +support +member +[\d-]{10} [\d:]{8} UTC +Ben$/),
      expect.stringMatching(/^ada@people\.example +owner +member +[\d-]{10} [\d:]{8} UTC +Ada$/),
    ])
    expect(JSON.parse((await command('list', '--json', ...team())).out)).toEqual([
      expect.objectContaining({ email: 'ben@people.example', name: 'Ben', role: 'support' }),
      expect.objectContaining({ email: 'ada@people.example', name: 'Ada', role: 'owner' }),
    ])
  })

  it('lists who is invited, and revokes the invitation of an address', async () => {
    const invited = await command('invite', 'cleo@people.example', '--role', 'viewer', ...team())
    const lines = (await command('list', ...team())).out.trimEnd().split('\n')
    expect(lines.at(-1)).toMatch(/^cleo@people\.example +viewer +invited +[\d-]{10} [\d:]{8} UTC$/)
    expect(JSON.parse((await command('list', '--json', ...team())).out)).toContainEqual({
      ...{ id: expect.any(String), email: 'cleo@people.example', name: null, role: 'viewer', status: 'invited' },
      ...{ created_at: expect.any(String), expires_at: expect.any(String) },
    })
    expect(await command('revoke', 'CLEO@people.example', ...team())).toMatchObject({
      status: 0,
      out: 'The link for cleo@people.example does not work anymore.\n',
    })
    expect((await visit(service(), 'POST', pathOf(invited), { origin: 'http://localhost:3000', form: { name: 'Cleo' } })).status).toBe(403)
    expect(await command('revoke', 'cleo@people.example', ...team())).toMatchObject({
      status: 1,
      errors: expect.stringContaining('There is no open invitation for this address'),
    })
    expect((await acts()).at(-1)).toMatchObject({
      act: 'command.people.revoke',
      type: 'invitation',
      details: { before: { role: 'viewer' } },
    })
  })

  it('prints the code with which someone confirms, in any session of theirs, once', async () => {
    const ada = await persons().findByEmailAcrossTeams('ada@people.example')
    const signedIn = { method: 'link', address: '127.0.0.1', browser: '' } as const
    const { context } = service().service
    const session = await beginSession(context, { personId: ada?.id ?? '', teamId: null }, signedIn)
    const cookie = `${sessionCookieName(context.publicUrl)}=${session}`
    const enter = (code: string) =>
      service().call('POST', '/me/confirmation/verify', {
        token: null,
        headers: { cookie, ...OWN_PAGE },
        body: { code },
      })
    const { status, out, errors } = await commandWith({ DATA_DIR: service().config.dataDir }, 'people', 'code', 'ada@people.example')
    expect({ status, out, errors }).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^\d{8}\n$/),
      errors: expect.stringContaining('It confirms sessions of ada@people.example once, within 10 minutes.'),
    })
    expect((await enter(out.trim())).status).toBe(200)
    expect((await enter(out.trim())).status).toBe(422)
    expect((await acts()).filter(({ act }) => act === 'command.people.code')).toHaveLength(1)
  })

  it('signs someone in by a link, which stands in the log of each of their teams', async () => {
    const ada = await persons().findByEmailAcrossTeams('ada@people.example')
    await persons().addMember(service().other.teamId, ada?.id ?? '', 'viewer')
    const linked = await command('link', 'ADA@people.example')
    expect(linked).toMatchObject({ status: 0, errors: expect.stringContaining('It signs in ada@people.example once, within 60 minutes.') })
    const entered = await visit(service(), 'POST', pathOf(linked), { origin: 'http://localhost:3000' })
    expect([entered.status, entered.location]).toEqual([303, '/console'])
    for (const teamId of [service().teamId, service().other.teamId])
      expect((await acts(teamId)).filter(({ act }) => act === 'command.people.link')).toHaveLength(1)
    expect(await command('link', 'nobody@people.example')).toMatchObject({
      status: 1,
      errors: expect.stringContaining('There is no person with the address "nobody@people.example".'),
    })
    expect((await command('link', 'nobody')).status).toBe(1)
  })

  it('changes roles and removes members, but never the last owner', async () => {
    expect(await command('role', 'ben@people.example', 'admin', ...team())).toMatchObject({
      status: 0,
      out: 'ben@people.example is admin now.\n',
    })
    for (const act of [
      ['role', 'ada@people.example', 'viewer'],
      ['remove', 'ada@people.example'],
    ] as const)
      expect(await command(...act, ...team())).toMatchObject({ status: 1, errors: expect.stringContaining(LAST_OWNER) })
    expect(await command('role', 'ben@people.example', 'king', ...team())).toMatchObject({ status: 2 })
    expect(await command('remove', 'ben@people.example', ...team())).toMatchObject({
      status: 0,
      out: 'ben@people.example is not a member anymore.\n',
    })
    for (const act of [
      ['role', 'ben@people.example', 'viewer'],
      ['remove', 'ben@people.example'],
    ] as const)
      expect(await command(...act, ...team())).toMatchObject({
        status: 1,
        errors: expect.stringContaining('This person is no member of the team'),
      })
    const ben = await persons().findByEmailAcrossTeams('ben@people.example')
    expect(
      (await acts()).filter(({ act, details }) => !/link|code|revoke/.test(act) && !JSON.stringify(details).includes('cleo@')),
    ).toEqual([
      expect.objectContaining({ act: 'command.people.invite', type: 'invitation', target: expect.any(String) }),
      expect.objectContaining({
        act: 'command.people.invite',
        details: { after: expect.objectContaining({ role: 'support', digest: '[secret]' }) },
      }),
      { act: 'command.people.role', type: 'member', target: ben?.id, details: { before: { role: 'support' }, after: { role: 'admin' } } },
      { act: 'command.people.remove', type: 'member', target: ben?.id, details: { before: { role: 'admin' } } },
    ])
  })

  it('wants to know which team it is about if there are several', async () => {
    expect(await command('list')).toMatchObject({
      status: 1,
      errors: expect.stringContaining('There are several teams: name one with --team'),
    })
  })
})
