// A team that is suspended or deleted: what waited stays, what others do continues, and nothing of it is lost or sent twice. Without it, a bad team would
// mail from another queue than that of its emails.
import { afterEach, describe, expect, it } from 'vitest'
import { removeTeams } from '../../../../src/modules/accounts/teams/team-removal.worker.ts'
import { addAutomation, graphOf, runsOf } from '../../../support/builders/automations.ts'
import { addManyMembers, createBroadcast, emailsOf, stepDue } from '../../../support/builders/broadcasts.ts'
import { sendImport } from '../../../support/builders/contact-imports.ts'
import { addSegment } from '../../../support/builders/contacts.ts'
import { createReceivingDomain } from '../../../support/builders/domains.ts'
import { stateOf, untilEvent } from '../../../support/builders/engine.ts'
import { isUnsubscribed, linkTo, ONE_CLICK, submit, visitPage } from '../../../support/builders/topics.ts'
import { createWebhook } from '../../../support/builders/webhooks.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { file, startHttpSink } from '../../../support/servers/http-sink.ts'
import { startInboundService, startSubmissionService } from '../../../support/servers/mail-services.ts'
import { shared, type TestService } from '../../../support/servers/service.ts'
import { startWebhookSink } from '../../../support/servers/webhook-sink.ts'

const KEY = 'the-operator-key-of-these-tests-which-is-long'
const DAY_MS = 24 * 3_600_000
const clock = createShiftingClock()
const sink = shared(() => startWebhookSink(clock))
const web = shared(() => startHttpSink({ '/terms.txt': file('The terms') }))
const service = shared(() => startSubmissionService({ clock, environment: { OPERATOR_KEY: KEY } }))

afterEach(() => service.stopWorkers())

const call = (method: string, path: string, body?: object) => service.call(method, path, { token: KEY, ...(body && { body }) })

/** A team of its own, as the service of its tests. */
async function newTeam(name: string): Promise<TestService> {
  const { id } = (await call('POST', '/teams', { name })).body as { id: string }
  const token = await service.createKey(id)
  return { ...service, teamId: id, token, call: (method, path, options = {}) => service.call(method, path, { token, ...options }) }
}

const post = async (team: TestService, path: string, body: object): Promise<string> => {
  const { status, body: answer, text } = await team.call('POST', path, { body })
  if (status >= 300) throw new Error(text)
  return (answer as { id: string }).id
}

/** One of each kind of work, which no worker has seen. */
async function waitingWork(team: TestService, name: string) {
  const hook = await createWebhook(service, { endpoint: `${sink.url}/${name}`, events: ['contact.created'] }, team.token)
  sink.expectSecret(`/${name}`, hook.secret)
  const segmentId = await addSegment(team)
  await post(team, '/contacts', { email: `ada@${name}.example`, segments: [{ id: segmentId }] })
  const broadcast = await createBroadcast(team, { segment_id: segmentId, send: true }, { token: team.token })
  const automation = await addAutomation(team, graphOf([{ key: 'pause', type: 'delay', config: { duration: '1 hour' } }]))
  await team.call('POST', '/events/send', { body: { event: 'signed.up', email: `ada@${name}.example` } })
  const imported = ((await sendImport(service, { file: `email\nimported@${name}.example\n` }, team.token)).body as { id: string }).id
  return {
    /** How far each has come. */
    async state() {
      const [email] = await emailsOf(service, broadcast)
      return {
        hooks: sink.hooks.filter(({ path }) => path === `/${name}`).length,
        broadcast: ((await team.call('GET', `/broadcasts/${broadcast}`)).body as { status: string }).status,
        mails: service.sink.messages.filter(({ to }) => to.includes(`ada@${name}.example`)).length,
        made: email ? 1 : 0,
        runs: (await runsOf(service, automation)).filter(({ state }) => JSON.stringify(state).includes('pause')).length,
        imported: ((await team.call('GET', `/contacts/imports/${imported}`)).body as { status: string }).status,
      }
    },
  }
}

const DONE = { hooks: 1, broadcast: 'sent', mails: 1, made: 1, runs: 1, imported: 'completed' }

it.each([
  ['suspended', 'resume', (id: string) => call('POST', `/teams/${id}/suspend`, { reason: 'Unpaid.' })],
  ['deleted', 'restore', (id: string) => call('DELETE', `/teams/${id}`)],
])('webhooks, broadcasts, automations and imports of a team that is %s wait until it is back: %s', async (state, back, stop) => {
  const [team, other] = [await newTeam('Stopped'), await newTeam('Other')]
  const [ours, theirs] = [await waitingWork(team, state), await waitingWork(other, `beside-${state}`)]
  expect((await stop(team.teamId)).status).toBe(200)
  service.startWorker()
  await until(async () => expect(await theirs.state()).toEqual(DONE))
  const waiting = { hooks: 0, mails: 0, made: 0, runs: 0 }
  // What the team itself reads is another question: a deleted one reads nothing.
  expect(await ours.state()).toMatchObject(waiting)
  await service.stopWorkers()

  expect((await call('POST', `/teams/${team.teamId}/${back}`)).status).toBe(200)
  expect(await ours.state()).toMatchObject({ ...waiting, broadcast: 'queued', imported: 'queued' })
  // An import looks again after half a minute, by the clock of the database.
  await service.database.execute('update graphile_worker._private_jobs set run_at = now()')
  service.startWorker()
  await until(async () => expect(await ours.state()).toEqual(DONE))
  await service.stopWorkers()
})

it.each([
  ['suspended', 'resume', (id: string) => call('POST', `/teams/${id}/suspend`, { reason: 'Unpaid.' })],
  ['deleted', 'restore', (id: string) => call('DELETE', `/teams/${id}`)],
])('attachments by URL of a team that is %s are not fetched until it is back, and then each once: %s', async (state, back, stop) => {
  const [team, other] = [await newTeam('Stopped'), await newTeam('Other')]
  const send = (by: TestService, name: string, path: string) =>
    post(by, '/emails', {
      ...{ from: 'a@example.com', to: `${name}@${state}.example`, subject: 'Terms', text: 'Terms' },
      attachments: [{ path: `${web.url}${path}?${state}-${name}` }],
    })
  const [ours, failing] = [await send(team, 'ours', '/terms.txt'), await send(team, 'failing', '/missing.txt')]
  const asked = (name: string) => web.requests.filter((request) => request.endsWith(`?${state}-${name}`)).length
  const mails = () => service.sink.messages.filter(({ to }) => to.includes(`ours@${state}.example`)).length
  expect((await stop(team.teamId)).status).toBe(200)
  service.startWorker()
  /** Jobs that rest look again now, and more often than a job is tried. */
  const lookAgain = () =>
    service.database.execute(
      `update graphile_worker._private_jobs set run_at = now() where locked_at is null and payload->>'emailId' is not null`,
    )
  for (let looked = 0; looked < 7; looked += 1) {
    const theirs = await send(other, `theirs-${looked}`, '/terms.txt')
    await lookAgain()
    await untilEvent(service, theirs, 'delivered')
  }
  expect([asked('theirs-0'), asked('ours'), asked('failing'), mails()]).toEqual([1, 0, 0, 0])

  expect((await call('POST', `/teams/${team.teamId}/${back}`)).status).toBe(200)
  await until(async () => {
    await lookAgain()
    expect([(await stateOf(service, ours)).lastEvent, (await stateOf(service, failing)).lastEvent]).toEqual(['delivered', 'failed'])
  })
  expect([asked('ours'), mails()]).toEqual([1, 1])
  await service.stopWorkers()
})

it('mail that a suspended team submits is refused with 550 and the reason, also in a session that was open', async () => {
  const team = await newTeam('Suspended')
  const open = await service.signIn(team.token)
  await call('POST', `/teams/${team.teamId}/suspend`, { reason: 'Unpaid.' })
  const refused = /^550 5\.7\.1 This team is suspended: .* Reason: Unpaid\./
  expect(await open.say('MAIL FROM:<app@example.org>')).toMatch(refused)
  expect(await (await service.signIn(team.token)).say('MAIL FROM:<app@example.org>')).toMatch(refused)
  expect(await (await service.signIn()).say('MAIL FROM:<app@example.org>')).toMatch(/^250 /)
  await call('POST', `/teams/${team.teamId}/resume`)
  expect(await open.say('MAIL FROM:<app@example.org>')).toMatch(/^250 /)
})

it('mail to a suspended team is refused for now with 451, while bounces of its mail are taken, and so is mail to others', async () => {
  const inbound = await startInboundService({ environment: { OPERATOR_KEY: KEY } })
  try {
    await createReceivingDomain(inbound, inbound.teamId, 'one.example')
    await createReceivingDomain(inbound, inbound.other.teamId, 'two.example')
    const { address: returnPath } = await inbound.newReturnPath()
    const suspended = await inbound.call('POST', `/teams/${inbound.teamId}/suspend`, { token: KEY, body: { reason: 'Unpaid.' } })
    expect(suspended.status).toBe(200)
    const client = await inbound.connect()
    await client.reply()
    await client.say('EHLO mx.example.net')
    await client.say('MAIL FROM:<>')
    const replies = [`<a@one.example>`, '<a@two.example>', `<${returnPath}>`].map((address) => `RCPT TO:${address}`)
    const answers: string[] = []
    for (const command of replies) answers.push((await client.say(command)).slice(0, 3))
    expect(answers).toEqual(['451', '250', '250'])
    await inbound.call('POST', `/teams/${inbound.teamId}/resume`, { token: KEY })
    expect(await client.say('RCPT TO:<a@one.example>')).toMatch(/^250 /)
  } finally {
    await inbound.close()
  }
})

describe('unsubscribe pages', () => {
  it('work while a team is suspended, while it is deleted, and say that it is done when it is gone', async () => {
    const team = await newTeam('Leaving')
    await Promise.all(['a', 'b', 'c'].map((name) => post(team, '/contacts', { email: `${name}@leaving.example` })))
    const [a, b, c] = [
      await linkTo(team, 'a@leaving.example'),
      await linkTo(team, 'b@leaving.example'),
      await linkTo(team, 'c@leaving.example'),
    ]
    const leave = async (path: string) => {
      expect((await visitPage(service, path)).status).toBe(200)
      return (await submit(service, path, Object.entries(ONE_CLICK))).status
    }
    await call('POST', `/teams/${team.teamId}/suspend`, { reason: 'Unpaid.' })
    expect(await leave(a)).toBe(200)
    expect(await isUnsubscribed(team, 'a@leaving.example')).toBe(true)
    await call('POST', `/teams/${team.teamId}/resume`)

    await call('DELETE', `/teams/${team.teamId}`)
    expect(await leave(b)).toBe(200)
    await call('POST', `/teams/${team.teamId}/restore`)
    expect(await isUnsubscribed(team, 'b@leaving.example')).toBe(true)

    await call('DELETE', `/teams/${team.teamId}`)
    clock.shift(7 * DAY_MS)
    await removeTeams(service.service.context, { signal: new AbortController().signal })
    expect((await call('GET', `/teams/${team.teamId}`)).status).toBe(404)
    for (const path of [a, c]) {
      expect(await leave(path)).toBe(200)
      const left = await submit(service, path, [['act', 'unsubscribe']])
      expect([left.status, /<h1>(.*?)<\/h1>/.exec(left.text)?.[1]]).toEqual([200, 'You are unsubscribed'])
    }
    expect(await service.database.execute('select from opt_outs where team_id = $1', [team.teamId])).toEqual([])
  })
})

describe('a team that is deleted while its broadcast is sent', () => {
  it('mails no one after that, says how many get nothing, and is removed with all of it, while others are mailed', async () => {
    const [team, other] = [await newTeam('Sending'), await newTeam('Beside')]
    const segmentId = await addSegment(team)
    const addresses = await addManyMembers(team, segmentId, 30)
    const broadcast = await createBroadcast(team, { segment_id: segmentId, send: true }, { token: team.token })
    // Some of its emails are made.
    await stepDue(service, { contactsMax: 10 })
    const deleted = (await call('DELETE', `/teams/${team.teamId}`)).body as { removes: { recipients_waiting: number; broadcasts: number } }
    expect(deleted.removes).toMatchObject({ recipients_waiting: 10, broadcasts: 1 })
    const count = service.sink.messages.length
    service.startWorker()
    const mail = { from: 'a@example.com', to: 'beside@example.org', subject: 'Beside', text: 'Beside' }
    await post(other, '/emails', mail)
    await until(() => expect(service.sink.messages.length).toBe(count + 1))

    clock.shift(7 * DAY_MS)
    // The worker runs while its work is removed.
    await removeTeams(service.service.context, { signal: new AbortController().signal })
    await post(other, '/emails', mail)
    await until(() => expect(service.sink.messages.length).toBe(count + 2))
    expect(service.sink.messages.flatMap(({ to }) => to).filter((address) => addresses.includes(address))).toEqual([])
    expect(await emailsOf(service, broadcast)).toEqual([])
    expect(await service.database.execute('select from deliveries where team_id = $1', [team.teamId])).toEqual([])
    await service.stopWorkers()
  })
})
