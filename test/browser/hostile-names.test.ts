// Every page of the console while everything that people and programs can name holds text that would break it: markup, characters that turn the
// direction of writing, ten thousand letters without a space.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOperatorLink } from '../../src/modules/accounts/sessions/sessions.service.ts'
import { addRun } from '../support/builders/automations.ts'
import { signIn, visit } from '../support/clients/console.ts'
import { recordsOf } from '../support/records/records.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, screenshot } from './browser.ts'
import { consoleRoutesOf, filledRoute } from './pages-of-routes.ts'

const NAMES = {
  'markup and letters of other scripts': `\u202e\u2067<img src=x onerror="document.title='hit'">"'><script>document.title='hit'</script>&lt; שלום 👩‍👩‍👧🎉`,
  'ten thousand letters': 'x'.repeat(10_000),
}

/** Where they stand. Some are shorter when the API takes them; a database may have them from elsewhere. */
const PLACES: Record<string, string[]> = {
  api_keys: ['name'],
  attachments: ['filename'],
  attempts: ['text', 'host'],
  automations: ['name', 'trigger_event'],
  automation_runs: ['reason', 'event_name'],
  broadcasts: ['name', 'subject', '"from"', 'preview_text', 'status_reason'],
  contact_imports: ['reason'],
  contacts: ['first_name', 'last_name'],
  emails: ['subject', '"from"'],
  events: ['name'],
  received_attachments: ['filename'],
  received_emails: ['subject', '"from"', 'problem'],
  request_logs: ['endpoint', 'user_agent'],
  segments: ['name'],
  templates: ['name'],
  topics: ['name', 'description'],
  webhooks: ['disabled_reason'],
}

const PAGES_WITH_NAMES_MIN = 30

let browser: Browser
let page: Page
let addresses: string[]

const service = shared(() => startTestService({ environment: { ROLES: 'api' } }), 120_000)
beforeAll(async () => {
  browser = await browserOfWorker()
  const ids = await recordsOf(service).oneOfEach()
  await service.service.context.repositories.requestLogs.flush()
  await reachThem(ids)
  const link = new URL(await createOperatorLink(service.service.context, { forMs: 600_000 })).pathname
  const operator = (await visit(service, 'POST', link)).cookie?.split(';', 1)[0] ?? ''
  const cookie = `${await signIn(service)}; ${operator}`
  const routes = service.service.app ? consoleRoutesOf(service.service.app) : []
  const paths = routes.flatMap((route) => filledRoute(route, ids) ?? [])
  const answers = await Promise.all(paths.map((path) => fetch(`${service.url}${path}`, { headers: { cookie }, redirect: 'manual' })))
  const texts = await Promise.all(answers.map((answer) => (answer.status === 200 ? answer.text() : '')))
  addresses = paths.filter((path, at) => texts[at]?.startsWith('<!doctype html>') && !isFrame(path))
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, bypassCSP: true })
  await context.addCookies(
    cookie.split('; ').map((one) => {
      const [name = '', value = ''] = one.split('=', 2)
      return { name, value, url: service.url }
    }),
  )
  page = await context.newPage()
}, 120_000)
afterAll(() => closePages(browser))

/** The mail in a frame is a document of its own, which its sender wrote. */
const isFrame = (path: string): boolean => /\/html$/.test(path)

/** Where names stand beside words of ours: the timeline of a contact, the attempts of an email, the queue of operators. */
async function reachThem(ids: Map<string, string>): Promise<void> {
  const { database, teamId } = service
  const contact = ids.get('contact_id') ?? ''
  await service.call('PATCH', `/contacts/${contact}/topics`, { body: [{ id: ids.get('topic_id'), subscription: 'opt_out' }] })
  await addRun(service, ids.get('automation_id') ?? '', { contactId: contact })
  const [recipient] = await database.execute<{ id: string }>('select id from recipients where email_id = $1', [ids.get('email_id')])
  await database.execute(
    `insert into attempts (id, team_id, email_id, recipient_id, number, outcome, host, code, text, started_at, ended_at)
     values (uuidv7(), $1, $2, $3, 1, 'delayed', 'mx.example.net', 450, 'later', now(), now())`,
    [teamId, ids.get('email_id'), recipient?.id],
  )
  await database.execute(
    `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready) values (uuidv7(), $1, 'bulk', 'example.net', uuidv7(), now(), true)`,
    [teamId],
  )
  await database.execute('insert into queue_pauses (id, team_id, created_at) values (uuidv7(), $1, now())', [teamId])
}

async function nameEverything(text: string): Promise<void> {
  for (const [table, columns] of Object.entries(PLACES))
    await service.database.execute(`update ${table} set ${columns.map((column) => `${column} = $2`).join(', ')} where team_id = $1`, [
      service.teamId,
      text,
    ])
  await service.database.execute('update contact_properties set fallback_value = to_jsonb($2::text) where team_id = $1', [
    service.teamId,
    text,
  ])
  // The reasons are shown for what they stopped.
  await service.database.execute("update webhooks set status = 'disabled' where team_id = $1", [service.teamId])
  await service.database.execute("update broadcasts set status = 'paused' where team_id = $1", [service.teamId])
  await service.database.execute('update teams set name = $2 where id = $1', [service.teamId, text])
}

/** What is wrong with a page, as its browser shows it. */
const WRONGS = `(() => {
  const wrongs = []
  if (document.title === 'hit' || document.querySelector('img[src=x]')) wrongs.push('markup')
  const overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth
  if (overflow > 0) wrongs.push('wider than the screen by ' + overflow)
  for (const name of document.querySelectorAll('.list tbody th'))
    if (name.offsetHeight > 300) wrongs.push('a name in a list that is ' + name.offsetHeight + ' high')
  // Text that turns the direction must not share its line with ours, unless something keeps it apart.
  const isApart = (element) => getComputedStyle(element).unicodeBidi !== 'normal' || !/^inline/.test(getComputedStyle(element).display)
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { textContent, parentElement } = texts.currentNode
    if (!textContent.includes('\\u202e') || parentElement.closest('pre, textarea, option, script, style')) continue
    let around = parentElement
    while (!isApart(around)) around = around.parentElement
    const strip = (text) => text.replace(/[\\s,·←]+/g, '')
    if (strip(around.textContent) !== strip(textContent) || !/^[\\s,·←]*\\u202e/.test(textContent)) wrongs.push('turns ' + around.outerHTML.slice(0, 160))
  }
  return wrongs
})()`

describe.each(Object.entries(NAMES))('with %s', (what, text) => {
  beforeAll(() => nameEverything(text))

  it('every page shows them as text, within the screen', { timeout: 300_000 }, async () => {
    expect(addresses.length).toBeGreaterThan(50)
    const found: Record<string, string[]> = {}
    let shown = 0
    for (const path of addresses) {
      const answer = await page.goto(`${service.url}${path}`, { waitUntil: 'domcontentloaded' })
      const wrongs = await page.evaluate<string[]>(WRONGS)
      if ((await page.evaluate<string>('document.querySelector("main").textContent')).includes(text.slice(0, 20))) shown += 1
      if (answer?.status() !== 200) wrongs.push(`status ${answer?.status()}`)
      if (wrongs.length > 0) found[path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id')] = wrongs
      await screenshot(page, `hostile-${what.slice(0, 6)}-${path.replaceAll(/[^\w]+/g, '-').slice(0, 40)}`)
    }
    expect(found).toEqual({})
    // All others show only what the service says.
    expect(shown).toBeGreaterThan(PAGES_WITH_NAMES_MIN)
  })
})
