// The story of an installer: a team over the API, its owner by a mailed invitation, support who resends a mail, and all of it in the audit log.
import { expect, it } from 'vitest'
import { verifyChain } from '../../src/modules/audit/chain.service.ts'
import { visit } from '../support/clients/console.ts'
import { callAs } from '../support/clients/people.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { startSmtpSink } from '../support/servers/smtp-sink.ts'

const KEY = 'the-operator-key-of-this-test-which-is-long'
const [OWNER, SUPPORT] = ['grace@acme.example', 'joan@acme.example']

const sink = shared(() => startSmtpSink())
const service = shared(() =>
  startTestService({
    environment: {
      ROLES: 'api,worker',
      OPERATOR_KEY: KEY,
      SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
      MAIL_HOSTNAME: 'mail.example.net',
    },
  }),
)

const operator = async (method: string, path: string, body?: object) => {
  const { status, body: answer, text } = await service.call(method, path, { token: KEY, ...(body && { body }) })
  if (status >= 300) throw new Error(text)
  return answer as { id: string }
}

/** The path of the link in the newest mail to an address, once there are as many. */
async function linkMailedTo(address: string, count: number): Promise<string> {
  const mails = await until(() => {
    const found = sink.messages.filter(({ to }) => to.includes(address))
    if (found.length < count) throw new Error(`${found.length} mails`)
    return found
  })
  const text = (mails.at(-1)?.raw ?? '').replaceAll('=\r\n', '')
  const [link = 'missing:'] = /http:\S+\/console\/(?:sign-in|invitations)\/[\w-]+/.exec(text) ?? []
  return new URL(link).pathname
}

const tokens: string[] = []

/** Presses the button of the page that a link opens, and returns the session. */
async function enter(path: string, form: Record<string, string> = {}): Promise<{ cookie: string }> {
  expect((await visit(service, 'GET', path)).status).toBe(200)
  const entered = await visit(service, 'POST', path, { form: { other_browser: 'yes', ...form } })
  expect([entered.status, entered.location]).toEqual([303, '/console'])
  const cookie = entered.cookie?.split(';', 1)[0] ?? ''
  tokens.push(path.split('/').at(-1) ?? '', cookie.slice(cookie.indexOf('=') + 1))
  return { cookie }
}

it('an installer makes a team, its owner invites support, support resends a mail, and the audit log has all of it', async () => {
  const team = await operator('POST', '/teams', { name: 'Acme' })
  await operator('POST', `/teams/${team.id}/invitations`, { email: OWNER, role: 'owner' })
  const first = await enter(await linkMailedTo(OWNER, 1), { name: 'Grace' })
  await visit(service, 'POST', '/console/sign-out', first)

  await visit(service, 'POST', '/console/sign-in', { form: { email: OWNER } })
  const owner = await enter(await linkMailedTo(OWNER, 2))
  const invited = await callAs(service, owner, 'POST', '/invitations', { email: SUPPORT, role: 'support' })
  expect(invited.status).toBe(201)
  const support = await enter(await linkMailedTo(SUPPORT, 1), { name: 'Joan' })

  const mail = { from: 'shop@acme.example', to: 'customer@example.org', subject: 'Your order', text: 'Thank you.' }
  const token = await service.createKey(team.id)
  const { id } = (await service.call('POST', '/emails', { token, body: mail })).body as { id: string }
  const arrived = () => sink.messages.filter(({ to }) => to.includes(mail.to))
  await until(() => expect(arrived()).toHaveLength(1))
  const resent = await callAs(service, support, 'POST', `/emails/${id}/resend`)
  expect(resent.status).toBe(200)
  await until(() => expect(arrived()).toHaveLength(2))
  expect(arrived()[1]?.raw).toContain('Subject: Your order')
  // Support may not send what it likes.
  expect((await callAs(service, support, 'POST', '/emails', mail)).status).toBe(403)

  const { data } = (await callAs(service, owner, 'GET', '/audit-log?limit=100')).body as {
    data: { action: string; actor: { type: string; name: string | null }; target: { id: string | null } | null }[]
  }
  expect(data.toReversed().map(({ action, actor }) => [action, actor.type, actor.name])).toEqual([
    ['teams.create', 'operator', null],
    ['teams.invitations.create', 'operator', null],
    ['console.invitations.accept', 'person', OWNER],
    ['console.sign-in', 'person', OWNER],
    ['console.sign-out', 'person', OWNER],
    ['console.sign-in', 'person', OWNER],
    ['invitations.create', 'person', OWNER],
    ['console.invitations.accept', 'person', SUPPORT],
    ['console.sign-in', 'person', SUPPORT],
    ['emails.resend', 'person', SUPPORT],
  ])
  const { repositories, auditKeys } = service.service.context
  await until(async () =>
    expect(await verifyChain(repositories, team.id, auditKeys())).toEqual({ checked: data.length, removed: 0, chainBreak: null }),
  )

  // Nothing that is stored opens anything: neither the links that were mailed, nor the sessions.
  expect(tokens).toHaveLength(6)
  const tables = await service.database.execute<{ name: string }>(
    "select table_schema || '.' || table_name as name from information_schema.tables where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'",
  )
  for (const { name } of tables)
    for (const { row } of await service.database.execute<{ row: string }>(`select t::text as row from ${name} t`))
      expect([name, tokens.filter((each) => row.includes(each))]).toEqual([name, []])
})
