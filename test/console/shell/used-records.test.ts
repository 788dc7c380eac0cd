// Deleting what is in use in the console: the first form is refused and says what uses it, the second deletes it anyway.
import { beforeAll, expect, it } from 'vitest'
import { createAutomation, trigger } from '../../support/builders/automations.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { formsOf, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string
const service = shared(() => startTestService({ environment: { SENDER_POLICY: 'verified' } }))
beforeAll(async () => {
  cookie = await signIn(service)
})

const create = async (path: string, body: object) => ((await service.call('POST', path, { body })).body as { id: string }).id

async function sendingAutomation(config: object): Promise<string> {
  const template = await publishedTemplate(service, { alias: null })
  return createAutomation(service, {
    ...{ name: 'Welcome', status: 'enabled' },
    steps: [trigger(), { key: 'mail', type: 'send_email', config: { template: { id: template }, ...config } }],
    connections: [{ from: 'start', to: 'mail' }],
  })
}

const USED: Record<string, () => Promise<string>> = {
  templates: async () => {
    const id = await publishedTemplate(service, { alias: null })
    await sendingAutomation({ template: { id } })
    return id
  },
  topics: async () => {
    const id = await create('/topics', { name: 'News', default_subscription: 'opt_in' })
    await sendingAutomation({ topic_id: id })
    return id
  },
  segments: async () => {
    const id = await create('/segments', { name: 'All' })
    await createAutomation(service, {
      ...{ name: 'Welcome', status: 'enabled' },
      steps: [trigger(), { key: 'add', type: 'add_to_segment', config: { segment_id: id } }],
      connections: [{ from: 'start', to: 'add' }],
    })
    return id
  },
  domains: async () => {
    const id = await create('/domains', { name: 'acme.example' })
    await service.database.execute(`update domains set status = 'verified', owns_name = true, can_send = true where id = $1`, [id])
    const email = { from: 'hello@acme.example', to: 'ada@example.com', subject: 'Later', text: 'Later' }
    await create('/emails', { ...email, scheduled_at: new Date(Date.now() + 86_400_000).toISOString() })
    return id
  },
}

it.each(Object.keys(USED))('%s are deleted anyway only with the button that is shown then', async (kind) => {
  const id = await USED[kind]?.()
  const path = `/console/${kind}/${id}/delete`
  const refused = await visit(service, 'POST', path, { cookie, form: {} })
  expect(refused.status).toBe(409)
  expect(refused.text).toMatch(/role="alert"[^>]*>The \w+ is in use by one record: /)
  expect(refused.text.match(/<button class="danger">[^<]*/g)).toEqual(['<button class="danger">Delete anyway'])
  expect((await service.call('GET', `/${kind}/${id}`)).status).toBe(200)
  const form = formsOf(refused.text, () => '').find(({ action }) => action === path)
  expect((await visit(service, 'POST', path, { cookie, form: Object.fromEntries(form?.fields ?? []) })).status).toBe(303)
  expect((await service.call('GET', `/${kind}/${id}`)).status).toBe(404)
})
