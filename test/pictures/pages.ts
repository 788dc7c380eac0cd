// What is pictured: every page of the console, and the dialogs that matter.
import type { Page } from 'playwright-core'
import { webhookEventId } from '../../src/modules/webhooks/events/webhook-events.schema.ts'
import type { Team } from '../support/realistic-team/team.ts'
import { ADA } from '../support/realistic-team/words.ts'

export type Pictured = {
  name: string
  path: string
  /** Opens what is pictured. */
  act?: (page: Page) => Promise<unknown>
}

const LISTS = [
  ...[
    'emails',
    'received',
    'broadcasts',
    'automations',
    'templates',
    'domains',
    'suppressions',
    'metrics',
    'images',
    'contacts',
    'segments',
    'topics',
  ],
  ...['properties', 'imports', 'api-keys', 'logs', 'events', 'webhooks', 'grants', 'members', 'audit-log', 'usage', 'queue', 'health'],
  ...['deliverability', 'teams', 'account', 'settings'],
]

export async function picturedPages({ service: { database, teamId, other }, ids }: Team): Promise<Pictured[]> {
  const idOf = async (sql: string): Promise<string> => (await database.execute<{ id: string }>(sql, [teamId]))[0]?.id ?? ''
  const email = (rest: string) => idOf(`select id from emails where team_id = $1 and ${rest} limit 1`)
  const ada = await idOf(`select id from contacts where team_id = $1 and email = '${ADA.email}'`)
  const broken = await idOf(
    `select message_id as id from webhook_failures f join webhooks w on w.id = f.webhook_id where w.team_id = $1 order by failed_at desc limit 1`,
  )
  const importId = await idOf('select id from contact_imports where team_id = $1 and failed > 0 limit 1')
  return [
    { name: 'overview', path: '/' },
    ...LISTS.map((name) => ({ name, path: `/${name}` })),
    { name: 'emails-filtered', path: '/emails?status=bounced' },
    { name: 'email', path: `/emails/${await email(`last_event = 'clicked' and "to"[1] like '%gmail%' order by id desc`)}` },
    { name: 'email-bounced', path: `/emails/${await email(`last_event = 'bounced' order by id desc`)}` },
    { name: 'email-scheduled', path: `/emails/${await email(`last_event = 'scheduled' order by id desc`)}` },
    {
      name: 'received-email',
      path: `/received/${await idOf(`select id from received_emails where team_id = $1 and subject like '%broken' limit 1`)}`,
    },
    { name: 'broadcast-draft', path: `/broadcasts/${ids['broadcast draft']}` },
    { name: 'broadcast-scheduled', path: `/broadcasts/${ids['broadcast scheduled']}` },
    { name: 'broadcast-paused', path: `/broadcasts/${ids['broadcast paused']}` },
    { name: 'broadcast', path: `/broadcasts/${ids['broadcast sent']}` },
    { name: 'broadcast-edit', path: `/broadcasts/${ids['broadcast draft']}/edit` },
    { name: 'broadcast-recipients', path: `/broadcasts/${ids['broadcast sent']}/recipients?type=bounced` },
    { name: 'broadcast-new', path: '/broadcasts/new' },
    { name: 'automation', path: `/automations/${ids['automation basket']}` },
    { name: 'automation-small', path: `/automations/${ids['automation welcome']}` },
    { name: 'automation-runaway', path: `/automations/${ids['automation reorder']}` },
    { name: 'automation-new', path: '/automations/new' },
    {
      name: 'automation-canvas',
      path: `/automations/${ids['automation welcome']}/steps`,
      act: (page) => page.locator('[data-step]').nth(1).click(),
    },
    { name: 'automation-canvas-long', path: `/automations/${ids['automation basket']}/steps` },
    {
      name: 'automation-run',
      path: `/automations/${ids['automation welcome']}/runs/${await idOf(`select id from automation_runs where team_id = $1 and automation_id = '${ids['automation welcome']}' and status = 'completed' limit 1`)}`,
    },
    { name: 'template', path: `/templates/${ids['template care']}` },
    { name: 'template-edit', path: `/templates/${ids['template care']}/edit`, act: copyToBlocks },
    { name: 'template-edit-html', path: `/templates/${ids['template basket']}/edit` },
    { name: 'template-new', path: '/templates/new' },
    { name: 'domain', path: `/domains/${ids.domain}` },
    { name: 'domain-pending', path: `/domains/${ids['domain pending']}` },
    { name: 'domain-failed', path: `/domains/${ids['domain failed']}` },
    {
      name: 'suppression',
      path: `/suppressions/${await idOf(`select id from suppressions where team_id = $1 and email = '${ADA.email}'`)}`,
    },
    { name: 'contact', path: `/contacts/${ada}` },
    { name: 'segment', path: `/segments/${ids.regulars}` },
    { name: 'segment-plain', path: `/segments/${ids.newsletter}` },
    { name: 'segment-edit', path: `/segments/${ids.regulars}/edit` },
    { name: 'segment-new', path: '/segments/new' },
    { name: 'topic', path: `/topics/${ids.offers}` },
    { name: 'property', path: `/properties/${ids['property country']}` },
    { name: 'import', path: `/imports/${importId}` },
    { name: 'import-new', path: '/imports/new' },
    { name: 'contact-jobs', path: '/contacts/jobs' },
    { name: 'contact-job', path: `/contacts/jobs/${await idOf('select id from contact_jobs where team_id = $1 limit 1')}` },
    {
      name: 'log',
      path: `/logs/${await idOf(`select id from request_logs where team_id = $1 and response_status >= 400 order by id desc limit 1`)}`,
    },
    { name: 'api-key', path: `/api-keys/${ids['key shop']}` },
    { name: 'image', path: `/images/${ids['image teapot']}` },
    { name: 'event', path: `/events/${await idOf(`select id from events where team_id = $1 and name = 'order.placed'`)}` },
    { name: 'webhook', path: `/webhooks/${ids['webhook failing']}` },
    { name: 'webhook-healthy', path: `/webhooks/${ids['webhook crm']}` },
    { name: 'webhook-event', path: `/webhooks/${ids['webhook failing']}/events/${webhookEventId(broken)}` },
    {
      name: 'audit-entry',
      path: `/audit-log/${await idOf(`select id from audit_log where team_id = $1 and act = 'templates.update' limit 1`)}`,
    },
    { name: 'team', path: `/teams/${other.teamId}` },
    { name: 'dialog-domain', path: '/domains', act: open('Add a domain') },
    { name: 'dialog-key', path: '/api-keys', act: open('Create an API key') },
    { name: 'dialog-webhook', path: '/webhooks', act: open('Create a webhook') },
    { name: 'dialog-contact', path: '/contacts', act: open('Create a contact') },
    { name: 'dialog-invite', path: '/members', act: open('Invite') },
    { name: 'broadcast-send', path: `/broadcasts/${ids['broadcast draft']}/send`, act: sendLater },
    { name: 'dialog-search', path: '/emails', act: search('ada') },
  ]
}

const sendLater = async (page: Page): Promise<void> => {
  await page.getByText('At a time').click()
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await zone.click()
  await zone.fill('new york')
  await page.getByRole('option', { name: 'America/New York' }).click()
}

const open =
  (name: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name }).first().click()
    await page.getByRole('dialog').first().waitFor()
  }

const search = (text: string) => async (page: Page) => {
  await page.keyboard.press('/')
  await page.getByRole('dialog').getByRole('textbox').fill(text)
  await page.getByRole('option').or(page.getByRole('dialog').getByRole('button')).first().waitFor()
}

const copyToBlocks = async (page: Page) => {
  await page.getByRole('tab', { name: 'Blocks' }).click()
  await page.getByRole('button', { name: 'Copy it into blocks' }).click()
  await page.getByRole('toolbar').waitFor()
  // The copy is saved once someone writes in it.
  await page.locator('[contenteditable=true]').first().click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' ')
  await page.getByText(/^Saved at/).waitFor()
  await page.getByRole('textbox', { name: 'Subject' }).evaluate((field: { scrollIntoView(): void }) => field.scrollIntoView())
  await page.mouse.wheel(0, -100)
}
