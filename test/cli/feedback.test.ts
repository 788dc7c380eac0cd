import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { TIMESTAMP } from '../support/builders/answers.ts'
import { storeInboundMessage } from '../support/builders/received-emails.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, command: commandOf, commandWith, errorsWith } = useCommandsBesideService()

const command = (...args: string[]) => commandOf('feedback', ...args)

it('lists the complaints of which no recipient is known, newest first, and only those', async () => {
  const to = { purpose: 'feedback', mailFrom: 'fbl@provider.example', rcptTo: 'fbl@mail.example.com' } as const
  const older = await storeInboundMessage(service(), to)
  const newer = await storeInboundMessage(service(), to)
  const other = await storeInboundMessage(service())
  const detail = { feedback_type: 'abuse', user_agent: null, message_ids: ['<a@b.example>'], recipients: [], reason: 'No such email.' }
  const settled = { detail, recipient: null, consequences: [], answer: null }
  await service().service.context.repositories.waitingMessages.settleAcrossTeams(
    [
      { ...settled, messageId: older.id, verdict: 'unmatched' },
      { ...settled, messageId: newer.id, verdict: 'unmatched', detail: { ...detail, recipients: ['ada\u001b[2J@example.org'] } },
      { ...settled, messageId: other.id, verdict: 'backscatter' },
    ],
    new Date(),
  )

  const listed = await command('list')
  expect(listed.errors).toBe(errorsWith())
  const at = String.raw`[\d-]{10} [\d:]{8} UTC`
  const route = 'fbl@mail.example.com  fbl@provider.example at 192.0.2.1  abuse'
  expect(listed.out.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^RECEIVED +TO +FROM +TYPE +NAMES +WHY +EMAIL +ID$/),
    expect.stringMatching(new RegExp(`^${at}  ${route}  ada \\[2J@example\\.org <a@b\\.example>  No such email\\. +${newer.id}$`)),
    expect.stringMatching(new RegExp(`^${at}  ${route}  <a@b\\.example> +No such email\\. +${older.id}$`)),
  ])

  const json = await command('list', '--verdict', 'backscatter', '--json')
  expect(JSON.parse(json.out)).toEqual([
    {
      id: other.id,
      received_at: TIMESTAMP,
      verdict: 'backscatter',
      purpose: 'return_path',
      mail_from: '',
      rcpt_to: 'token@send.example.com',
      peer: '192.0.2.1',
      bytes: other.bytes,
      blob: other.blobKey,
      team_id: null,
      detail,
    },
  ])
})

it('lists a bounce with its type, subtype and email, and no name cut', async () => {
  const { id } = await storeInboundMessage(service())
  const name = `${'long'.repeat(30)}@example.org`
  const emailId = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'
  const detail = { message_ids: [], recipients: [name], type: 'Permanent', sub_type: 'General', email_id: emailId }
  await service().service.context.repositories.waitingMessages.settleAcrossTeams(
    [{ messageId: id, verdict: 'bounce', detail, recipient: null, consequences: [], answer: null }],
    new Date(),
  )
  const { out } = await command('list', '--verdict', 'bounce')
  expect(out).toMatch(new RegExp(`  Permanent  ${name}  General  ${emailId}  ${id}\n$`))
})

it('shows a message as it came, without what a terminal would act on, as long as its content is kept', async () => {
  const content = `Subject: Gone \u001b[2J\r\n\r\n${'line of the report\r\n'.repeat(5_000)}`
  const { id } = await storeInboundMessage(service(), { content })
  const STORAGE_URL = pathToFileURL(service().config.blobFolder).href
  const show = (which: string) => commandWith({ STORAGE_URL }, 'feedback', 'show', which)

  const shown = await show(id.toUpperCase())
  expect(shown.out.split('\n').slice(0, 8)).toEqual([
    expect.stringMatching(/^Received {2}[\d-]{10} [\d:]{8} UTC$/),
    'Verdict   none yet',
    'To        token@send.example.com',
    'From      <> at 192.0.2.1',
    '',
    '  Subject: Gone  [2J',
    '  ',
    '  line of the report',
  ])
  expect(shown.out.length).toBeLessThan(80_000)
  expect(shown.errors).toBe(errorsWith('This is the beginning: the message has 100,022 bytes.\n'))

  await service().database.execute('update inbound_messages set blob_key = null where id = $1', [id])
  expect((await show(id)).errors).toBe(errorsWith('Its content is no longer kept.\n'))
  expect(await show('nothing')).toEqual({
    status: 1,
    out: '',
    errors: errorsWith('There is no message "nothing"; `feedback list` shows them.\n'),
  })
})
