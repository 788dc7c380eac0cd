import { expect, it } from 'vitest'
import { TIMESTAMP } from '../support/builders/answers.ts'
import { storeInboundMessage } from '../support/builders/inbound-messages.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, command: commandOf, errorsWith } = useCommandsBesideService()

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
    expect.stringMatching(/^RECEIVED +TO +FROM +TYPE +NAMES +WHY +ID$/),
    expect.stringMatching(new RegExp(`^${at}  ${route}  ada \\[2J@example\\.org <a@b\\.example>  No such email\\.  ${newer.id}$`)),
    expect.stringMatching(new RegExp(`^${at}  ${route}  <a@b\\.example> +No such email\\.  ${older.id}$`)),
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
