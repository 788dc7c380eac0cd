// Mail of the installation, as it leaves through a relay, and as it does not.
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Context } from '../../../src/context.ts'
import { digestToken } from '../../../src/lib/ids.ts'
import { createInstallationMails, type InstallationMail } from '../../../src/modules/accounts/people/installation-mail.service.ts'
import { notifyOwners } from '../../../src/modules/accounts/people/people.service.ts'
import { installationMailWaitMs, startSendingInstallationMails } from '../../../src/modules/delivery/installation-mail.worker.ts'
import { createVerifiedDomain, resolverOf } from '../../support/builders/domains.ts'
import { signInAs, visit } from '../../support/clients/console.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { type DnsServer, startDnsServer } from '../../support/servers/dns-server.ts'
import { startRelayService } from '../../support/servers/mail-services.ts'
import { shared, startTestService, type TestService } from '../../support/servers/service.ts'
import { type SmtpSink, startSmtpSink } from '../../support/servers/smtp-sink.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const clock = createMovingClock()
const relayed = shared(() => startRelayService({ clock, environment: { MAIL_HOSTNAME: 'mail.posthaste.test', INBOUND_PORT: '0' } }))

let sender: ReturnType<typeof startSendingInstallationMails> | null = null
const said: unknown[] = []

function startSender(context: Context): void {
  const note = (...words: unknown[]) => void said.push(words)
  sender = startSendingInstallationMails({ ...context, log: Object.assign(Object.create(context.log), { info: note, warn: note }) })
}

async function stopSender(): Promise<void> {
  await sender?.stop()
  sender = null
}

const soon = (work: () => unknown) =>
  until(async () => {
    sender?.wake()
    await work()
  })

let count = 0
const mail = (more: Partial<InstallationMail> = {}): InstallationMail => {
  const secret = `https://mail.posthaste.test/console/sign-in/marker-${++count}`
  const expiresAt = new Date(clock.now().getTime() + 15 * MINUTE_MS)
  return { kind: 'link', to: `ada${count}@people.example`, subject: 'Sign in', text: `Here:\n\n${secret}\n`, secret, expiresAt, ...more }
}

/** Each row of the table, the newest first. */
const rows = ({ database }: Pick<TestService, 'database'>) =>
  database.execute<{ hasContent: boolean; attempts: number; wasDelivered: boolean }>(
    `select content is not null as "hasContent", attempts, delivered_at is not null as "wasDelivered" from installation_mails order by id desc`,
  )

async function everyRow({ database }: Pick<TestService, 'database'>): Promise<string> {
  const tables = await database.execute<{ name: string }>(
    "select table_schema || '.' || table_name as name from information_schema.tables where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'",
  )
  const found: string[] = []
  for (const { name } of tables)
    found.push(...(await database.execute<{ row: string }>(`select t::text as row from ${name} t`)).map(({ row }) => row))
  return found.join('\n')
}

describe('mail of the installation', () => {
  beforeEach(async () => {
    said.length = 0
    delete relayed.sinkOptions.onMessage
    relayed.sink.messages.length = 0
    await relayed.database.execute('delete from installation_mails')
  })
  afterEach(stopSender)

  const send = (more: Partial<InstallationMail> = {}) => {
    const made = mail(more)
    return relayed.service.context.installationMails.send(made).then(() => made)
  }

  it('is asked for on the page, leaves through the relay, and signs in', async () => {
    startSender(relayed.service.context)
    await signInAs(relayed.service.context, relayed.teamId, 'owner')
    const [owner] = await relayed.service.context.repositories.persons.ownersOf(relayed.teamId)
    expect(await relayed.service.context.installationMails.isCertain()).toBe(false)
    await visit(relayed, 'POST', '/console/sign-in', { form: { email: owner?.email ?? '' } })
    await soon(() => expect(relayed.sink.messages).toHaveLength(1))
    const [{ from, to, raw } = { from: '', to: [], raw: '' }] = relayed.sink.messages
    expect({ from, to }).toEqual({ from: 'posthaste@mail.posthaste.test', to: [owner?.email] })
    expect(raw).toMatch(/^From: Posthaste <posthaste@mail\.posthaste\.test>\r$/m)
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    const [link = ''] = /http:\S+\/console\/sign-in\/[\w-]+/.exec(raw.replaceAll('=\r\n', '')) ?? []
    expect((await visit(relayed, 'POST', new URL(link).pathname, { form: { other_browser: 'yes' } })).status).toBe(303)
    await soon(async () => expect(await rows(relayed)).toEqual([{ hasContent: false, attempts: 1, wasDelivered: true }]))
    expect(await relayed.service.context.installationMails.isCertain()).toBe(true)
    expect(JSON.stringify(said)).not.toContain(link)
  })

  it('is tried again for as long as its link is valid, and keeps no content after that', async () => {
    relayed.sinkOptions.onMessage = () => ({ code: 451, text: '4.3.0 Later' })
    await send()
    startSender(relayed.service.context)
    for (const [attempts, waitMs] of [30_000, 2 * MINUTE_MS, 5 * MINUTE_MS].entries()) {
      expect(installationMailWaitMs(attempts + 1)).toBe(waitMs)
      await soon(async () => expect(await rows(relayed)).toEqual([{ hasContent: true, attempts: attempts + 1, wasDelivered: false }]))
      await soon(() => expect(said).toHaveLength(attempts + 1))
      clock.advance(waitMs)
    }
    // The next attempt would come after the link.
    await soon(async () => expect(await rows(relayed)).toEqual([{ hasContent: false, attempts: 4, wasDelivered: false }]))
    expect(relayed.sink.messages).toEqual([])
  })

  it('keeps no content once its link has expired, or was used, or its invitation revoked, though nothing was sent', async () => {
    await send()
    const { invitations } = relayed.service.context.repositories
    const invitation = await invitations.create(relayed.teamId, {
      ...{ email: 'new@people.example', role: 'viewer', invitedBy: 'Ada', digest: digestToken('token-of-it') },
    })
    await send({
      secret: 'https://mail.posthaste.test/console/invitations/token-of-it',
      expiresAt: new Date(clock.now().getTime() + 24 * HOUR_MS),
    })
    const remove = () => relayed.service.context.repositories.installationMails.removeEndedContents(clock.now())
    expect(await remove()).toBe(0)
    await invitations.deleteInvitation(relayed.teamId, typeof invitation === 'string' ? '' : invitation.id)
    expect(await remove()).toBe(1)
    clock.advance(15 * MINUTE_MS)
    expect(await remove()).toBe(1)
    expect((await rows(relayed)).map(({ hasContent }) => hasContent)).toEqual([false, false])
  })

  it('is given up when it is refused, and the log says so without the words of the server', async () => {
    relayed.sinkOptions.onMessage = ({ raw }) => ({ code: 550, text: `5.7.1 No ${raw.slice(raw.indexOf('https:')).split('\r')[0]}` })
    const { secret } = await send()
    startSender(relayed.service.context)
    await soon(async () => expect(await rows(relayed)).toEqual([{ hasContent: false, attempts: 1, wasDelivered: false }]))
    await soon(() => expect(said).toHaveLength(1))
    expect(said[0]).toMatchObject([{ kind: 'bounced', code: 550, enhancedCode: '5.7.1' }, 'mail of the installation given up'])
    expect(JSON.stringify(said)).not.toContain(secret.slice(-12))
  })

  it('is sent by another worker when the first was killed in an attempt, and only once', async () => {
    await send()
    // The attempt of a process that has ended since.
    const { installationMails } = relayed.service.context.repositories
    const [begun] = await installationMails.claim(clock.now(), { claimedUntil: new Date(clock.now().getTime() + 5 * MINUTE_MS), limit: 10 })
    startSender(relayed.service.context)
    clock.advance(5 * MINUTE_MS - 1)
    await stopSender()
    expect(relayed.sink.messages).toEqual([])
    clock.advance(1)
    startSender(relayed.service.context)
    await soon(async () => expect(await rows(relayed)).toEqual([{ hasContent: false, attempts: 2, wasDelivered: true }]))
    // What that process would still say changes nothing.
    await installationMails.settle(begun ?? { id: '', attempts: 0 }, { again: clock.now(), isCounted: true })
    expect((await rows(relayed))[0]).toMatchObject({ hasContent: false })
    expect(relayed.sink.messages).toHaveLength(1)
  })

  it('is taken by one of two workers', async () => {
    for (let each = 0; each < 10; each++) await send()
    startSender(relayed.service.context)
    const other = startSendingInstallationMails(relayed.service.context)
    await soon(async () => expect((await rows(relayed)).every(({ wasDelivered }) => wasDelivered)).toBe(true))
    await other.stop()
    expect(relayed.sink.messages.flatMap(({ to }) => to).sort()).toHaveLength(10)
  })

  it('is sent five times an hour to an address, also if many ask at once, and twenty times for a client', async () => {
    const to = 'often@people.example'
    await Promise.all(Array.from({ length: 9 }, (_, index) => send({ to: index % 2 === 0 ? to : to.toUpperCase() })))
    expect(await rows(relayed)).toHaveLength(5)
    clock.advance(HOUR_MS)
    await send({ to })
    expect(await rows(relayed)).toHaveLength(6)
    // Addresses of IPv6 count by their /64.
    await Promise.all(Array.from({ length: 23 }, (_, index) => send({ clientAddress: `2001:db8::${index}` })))
    expect(await rows(relayed)).toHaveLength(6 + 20)
    await send({ clientAddress: '2001:db8:0:1::1' })
    expect(await rows(relayed)).toHaveLength(6 + 21)
  })

  it('is counted for each kind apart, so that no one keeps a code or a warning away by asking for links', async () => {
    const asked = { to: 'ada@people.example', clientAddress: '192.0.2.1' }
    const sent = async (kind: InstallationMail['kind'], times: number) => {
      const before = (await rows(relayed)).length
      for (let each = 0; each < times; each++) await send({ ...asked, kind })
      return (await rows(relayed)).length - before
    }
    expect(await sent('link', 9)).toBe(5)
    expect([await sent('code', 9), await sent('invitation', 9), await sent('notice', 25)]).toEqual([5, 5, 20])
    expect(await sent('link', 1)).toBe(0)
    clock.advance(HOUR_MS)
    expect(await sent('link', 9)).toBe(5)
  })

  it('that is over the rate begins nothing, and says when the next may be sent', async () => {
    const to = 'ada@people.example'
    const begun: string[] = []
    const asked = (name: string) =>
      relayed.service.context.installationMails.send({ ...mail(), to, begin: async () => void begun.push(name) })
    for (let each = 1; each <= 5; each++) {
      expect(await asked(`${each}`)).toBeNull()
      clock.advance(MINUTE_MS)
    }
    const nextAt = new Date(clock.now().getTime() + HOUR_MS - 5 * MINUTE_MS)
    expect(await asked('6')).toEqual({ nextAt })
    clock.advance(HOUR_MS - 5 * MINUTE_MS)
    expect(await asked('7')).toBeNull()
    expect(begun).toEqual(['1', '2', '3', '4', '5', '7'])
  })

  it('leaves no trace of its recipient after an hour', async () => {
    startSender(relayed.service.context)
    for (let each = 0; each < 3; each++) await send()
    await soon(() => expect(relayed.sink.messages).toHaveLength(3))
    await soon(async () => expect((await rows(relayed)).every(({ wasDelivered }) => wasDelivered)).toBe(true))
    clock.advance(HOUR_MS)
    await soon(async () => expect(await rows(relayed)).toHaveLength(1))
  })

  it('is found by no operation with a key of full access, by no webhook, and nowhere in the database', async () => {
    const marker = 'marker-of-the-installation'
    await relayed.call('POST', '/webhooks', { body: { endpoint: 'https://127.0.0.1:1/hook', events: ['email.sent', 'email.delivered'] } })
    const seen = async () => {
      const operations = (relayed.service.app?.operations ?? []).filter(({ method, access }) => method === 'GET' && access !== 'operator')
      const answers = operations.map(async ({ path }) => {
        const { id } = (await relayed.database.execute<{ id: string }>('select id from installation_mails limit 1'))[0] ?? { id: '' }
        const signal = AbortSignal.timeout(2_000)
        const asked = fetch(`${relayed.url}${path.replaceAll(/:\w+/g, id)}`, {
          signal,
          headers: { authorization: `Bearer ${relayed.token}` },
        })
        return asked.then((answer) => answer.text()).catch(() => '')
      })
      expect(answers.length).toBeGreaterThan(50)
      return `${(await Promise.all(answers)).join('\n')}${await everyRow(relayed)}`
    }
    await send({ to: `${marker}@people.example`, subject: marker, text: marker, secret: marker })
    expect(await seen()).not.toContain(marker)
    startSender(relayed.service.context)
    await soon(() => expect(relayed.sink.messages[0]?.raw).toContain(marker))
    await soon(async () => expect((await rows(relayed))[0]?.wasDelivered).toBe(true))
    expect(await seen()).not.toContain(marker)
  })

  it('tells the owners of a team what only they need to know', async () => {
    const { persons } = relayed.service.context.repositories
    const owner = await persons.ensureAcrossTeams('only-owner@people.example', 'Owner')
    const viewer = await persons.ensureAcrossTeams('viewer@people.example', 'Viewer')
    await persons.addMember(relayed.other.teamId, owner.id, 'owner')
    await persons.addMember(relayed.other.teamId, viewer.id, 'viewer')
    await notifyOwners(relayed.service.context, relayed.other.teamId, { subject: 'Quota nearly used up', text: '80 % of 1,000 emails.' })
    startSender(relayed.service.context)
    await soon(() => expect(relayed.sink.messages.map(({ to }) => to)).toEqual([['only-owner@people.example']]))
  })
})

describe('mail of the installation that goes straight to the servers of its recipients', () => {
  let dns: DnsServer
  let sink: SmtpSink
  beforeAll(async () => {
    sink = await startSmtpSink({ address: '127.0.0.1' })
    dns = await startDnsServer({ 'people.example': { MX: [[10, 'mx.people.example']] }, 'mx.people.example': { A: ['127.0.0.1'] } })
  })
  afterAll(() => Promise.all([sink.close(), dns.close()]))
  const direct = shared(() =>
    startTestService({
      clock,
      directPort: sink.port,
      environment: {
        DELIVERY: 'direct',
        MAIL_HOSTNAME: 'mail.posthaste.test',
        PUBLIC_URL: 'https://mail.posthaste.test',
        ACCOUNT_FROM: 'Accounts <sign-in@example.com>',
        DNS_SERVERS: dns.address,
      },
    }),
  )
  afterEach(stopSender)

  it('waits until a team has verified the domain of ACCOUNT_FROM, is signed by it, and bounces to no email', async () => {
    const { context } = direct.service
    startSender(context)
    await context.installationMails.send(mail())
    await soon(async () => expect(await rows(direct)).toEqual([{ hasContent: true, attempts: 1, wasDelivered: false }]))
    const { records } = await createVerifiedDomain(direct)
    await direct.database.execute('update domains set can_send = true')
    clock.advance(30_000)
    await soon(() => expect(sink.messages).toHaveLength(1))
    const [{ from, raw } = { from: '', raw: '' }] = sink.messages
    expect(from).toMatch(/^[0-9a-v]{56}@send\.example\.com$/)
    expect(raw).toMatch(/^From: Accounts <sign-in@example\.com>\r$/m)
    const { results } = await dkimVerify(raw, { resolver: resolverOf(records) })
    expect(results.map(({ status }) => status.result)).toEqual(['pass', 'pass'])
  })
})

describe('mail of the installation that is captured', () => {
  const captured = shared(() => startTestService({ clock }))
  afterEach(stopSender)

  it('is only counted: what it says is on the terminal, and stored nowhere', async () => {
    const { context } = captured.service
    startSender(context)
    const shown: string[] = []
    const { send, isCertain } = createInstallationMails({
      ...{ config: context.config, log: context.log, box: context.installationMailBox, repository: context.repositories.installationMails },
      show: (line) => void shown.push(line),
      wake: () => {},
    })
    const sent = mail({ to: 'ada@people.example' })
    for (let each = 0; each < 6; each++) await send(sent)
    expect(shown).toEqual(Array(5).fill(`Sign in (ada@people.example): ${sent.secret}`))
    expect(await rows(captured)).toEqual(Array(5).fill({ hasContent: false, attempts: 0, wasDelivered: false }))
    expect(await isCertain()).toBe(false)
  })
})
