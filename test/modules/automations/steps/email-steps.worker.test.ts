// What the email of a step is like when it is accepted, and why it cannot be made.
import { expect, it } from 'vitest'
import { createAutomation, graphOf, mailsTo, useAutomationScene } from '../../../support/builders/automations.ts'
import { addTopic } from '../../../support/builders/contacts.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'

const scene = useAutomationScene()
const { service, runAll, send, mail, add, onlyRun } = scene

/** The only email to the address of the test, as the API answers it. */
async function onlyEmail(): Promise<unknown> {
  const [email, ...others] = await mailsTo(service, scene.address)
  if (!email || others.length > 0) throw new Error(`There are ${others.length + (email ? 1 : 0)} emails instead of one`)
  return (await service.call('GET', `/emails/${email.id}`)).body
}

/** The class and the headers of the emails to the address of the test. */
const deliveryOf = () =>
  service.database.execute<{ class: string; headers: Record<string, string> | null }>(
    `select d.class, e.headers from emails e join deliveries d on d.email_id = e.id where e."to" = array[$1]`,
    [scene.address],
  )

it('has what the template says, which the step names by its alias', async () => {
  const template = await publishedTemplate(service, { alias: 'of-a-step', reply_to: ['one@example.com', 'two@example.com'] })
  const id = await add([mail({ template: { id: 'of-a-step' } })])
  await send()
  await runAll()
  expect((await onlyRun(id)).status).toBe('completed')
  expect(await onlyEmail()).toMatchObject({
    from: 'Acme <hello@example.com>',
    subject: 'your order is on its way',
    reply_to: ['one@example.com', 'two@example.com'],
    template_id: template,
  })
})

it('has the sender, the subject and the replies of the step rather than those of the template', async () => {
  const template = await publishedTemplate(service, { reply_to: 'one@example.com' })
  await add([mail({ template: { id: template }, from: 'Ada <ada@example.com>', subject: 'Welcome', reply_to: 'own@example.com' })])
  await send()
  await runAll()
  expect(await onlyEmail()).toMatchObject({ from: 'Ada <ada@example.com>', subject: 'Welcome', reply_to: ['own@example.com'] })
})

it.each([
  ['"Lovelace, Ada" <ada@example.com>', ['"Lovelace, Ada" <ada@example.com>']],
  ['Hilfe <hilfe@münchen.example>', ['Hilfe <hilfe@münchen.example>']],
  ['"taro..y"@docomo.ne.jp', ['"taro..y"@docomo.ne.jp']],
  ['', ['template@example.com']],
])('has the replies of the step as POST /emails has them: %j', async (replyTo, shown) => {
  const id = await publishedTemplate(service, { reply_to: 'template@example.com' })
  await add([mail({ template: { id }, reply_to: replyTo })])
  await send()
  await runAll()
  const { status, body } = await service.call('POST', '/emails', { body: { to: 'b@example.com', template: { id }, reply_to: replyTo } })
  expect(status).toBe(200)
  const sent = await service.call('GET', `/emails/${(body as { id: string }).id}`)
  for (const email of [await onlyEmail(), sent.body]) expect(email).toMatchObject({ reply_to: shown })
})

it('is not accepted with replies to what is no address', async () => {
  const steps = graphOf([mail({ reply_to: 'Ada <ada>, b' })], scene.event)
  const { status, body } = await service.call('POST', '/automations', { body: { name: 'Replies', ...steps } })
  expect([status, body]).toEqual([422, expect.objectContaining({ message: expect.stringContaining('reply_to') })])
})

it('of a topic has a link that unsubscribes', async () => {
  const topicId = await addTopic(service)
  await add([mail({ topic_id: topicId })])
  await send()
  await runAll()
  expect(await onlyEmail()).toMatchObject({ topic_id: topicId })
  const headers = { 'List-Unsubscribe': expect.stringMatching(/^<http\S+>$/), 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  expect(await deliveryOf()).toEqual([{ class: 'transactional', headers }])
})

it('is transactional and without such a link unless the automation says otherwise', async () => {
  await createAutomation(service, { ...graphOf([mail()], scene.event), status: 'enabled' })
  await send()
  await runAll()
  expect(await deliveryOf()).toEqual([{ class: 'transactional', headers: null }])
})

it.each([
  ['sender', { from: null }, 'Step `mail`: It has no sender, and its template has none either.'],
  ['subject', { subject: null }, 'Step `mail`: It has no subject, and its template has none either.'],
])('without a %s fails the run, with the reason', async (_what, changes, reason) => {
  const id = await add([mail({ template: { id: await publishedTemplate(service, changes) } })])
  await send()
  await runAll()
  expect(await onlyRun(id)).toMatchObject({ status: 'failed', reason })
  expect(await mailsTo(service, scene.address)).toEqual([])
})

it('waits while the team has used its emails of the day, and is sent once it has not', async () => {
  const { teamLimits } = service.service.context.repositories
  await teamLimits.setAcrossTeams(service.teamId, { emails_per_day: 0 })
  const id = await add([mail()])
  await send()
  await runAll()
  const { status, wakeAt, claims } = await onlyRun(id)
  expect([status, claims, wakeAt && wakeAt > scene.clock.now(), await mailsTo(service, scene.address)]).toEqual(['running', 0, true, []])
  await teamLimits.setAcrossTeams(service.teamId, { emails_per_day: null })
  scene.clock.shift(11 * 60_000)
  await runAll()
  expect([(await onlyRun(id)).status, (await mailsTo(service, scene.address)).length]).toEqual(['completed', 1])
})
