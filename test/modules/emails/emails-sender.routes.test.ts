import { beforeEach, describe, expect, it } from 'vitest'
import { failure, outcome } from '../../support/builders/answers.ts'
import { countStored, emailInput } from '../../support/builders/emails.ts'
import { untilEvent } from '../../support/builders/engine.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { SENDER_POLICY: 'verified', ROLES: 'api,worker' } }))
beforeEach(() => service.database.execute('truncate domains cascade'))

const from = (domain: string, more: object = {}) => emailInput({ from: `Acme <hello@${domain}>`, ...more })
const send = (body: object, token = service.token) => service.call('POST', '/emails', { body, token })
const refused = (domain: string) =>
  failure(
    403,
    'validation_error',
    `Your team has not verified the domain \`${domain}\`. Register it with POST /domains, publish its DNS records, and verify it.`,
  )

type DomainOptions = { canSend?: boolean; token?: string }

/** A domain of the team, as verification leaves it. */
async function domain(name: string, { canSend = true, token = service.token }: DomainOptions = {}): Promise<string> {
  const { body } = await service.call('POST', '/domains', { body: { name }, token })
  const { id } = body as { id: string }
  if (canSend)
    await service.database.execute(`update domains set status = 'verified', owns_name = true, can_send = true where id = $1`, [id])
  return id
}

describe('with SENDER_POLICY=verified', () => {
  it('an email from a verified domain of the team is accepted', async () => {
    await domain('ours.example')
    expect((await send(from('OURS.example'))).status).toBe(200)
  })

  it.each<[string, [name?: string, options?: DomainOptions], string]>([
    ['that no one has registered', [], 'unknown.example'],
    ['that is not verified', ['pending.example', { canSend: false }], 'pending.example'],
    ['under a verified one', ['parent.example'], 'mail.parent.example'],
    ['above a verified one', ['mail.child.example'], 'child.example'],
  ])('an email from a domain %s is a 403, and nothing of it is stored', async (_which, [registered, options], name) => {
    if (registered !== undefined) await domain(registered, options)
    const { emails } = await countStored(service)
    expect(outcome(await send(from(name)))).toEqual(refused(name))
    expect(await countStored(service)).toMatchObject({ emails })
  })

  it('an email from a domain of another team is a 403', async () => {
    await domain('theirs.example', { token: service.other.token })
    expect(outcome(await send(from('theirs.example')))).toEqual(refused('theirs.example'))
    expect((await send(from('theirs.example'), service.other.token)).status).toBe(200)
  })

  it('a batch is refused as a whole, or for the emails that it concerns', async () => {
    await domain('batch.example')
    const body = [from('batch.example'), from('other.example')]
    const message = refused('other.example').body.message
    expect(outcome(await service.call('POST', '/emails/batch', { body }))).toEqual(
      failure(403, 'validation_error', `Email 1 of the batch (from 0): ${message}`),
    )
    const permissive = await service.call('POST', '/emails/batch', { body, headers: { 'x-batch-validation': 'permissive' } })
    expect(permissive).toMatchObject({
      status: 200,
      body: { data: [{ id: expect.any(String) }], errors: [{ index: 1, name: 'validation_error', message }] },
    })
  })

  it('a deleted domain cannot be sent from at once', async () => {
    const id = await domain('deleted.example')
    expect((await send(from('deleted.example'))).status).toBe(200)
    await service.call('DELETE', `/domains/${id}`)
    expect(outcome(await send(from('deleted.example')))).toEqual(refused('deleted.example'))
  })

  it('a domain that is verified meanwhile can be sent from a moment later', async () => {
    const id = await domain('soon.example', { canSend: false })
    expect((await send(from('soon.example'))).status).toBe(403)
    await service.database.execute('update domains set owns_name = true, can_send = true where id = $1', [id])
    await until(async () => expect((await send(from('soon.example'))).status).toBe(200))
  })

  it('scheduled mail fails at its time if its domain is gone by then, with that reason', async () => {
    const id = await domain('later.example')
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
    const { body } = await send(from('later.example', { scheduled_at: scheduledAt }))
    const email = (body as { id: string }).id
    // More than a deletion cancels.
    await service.service.context.repositories.domains.deleteDomain(service.teamId, id)
    await service.database.execute('update emails set scheduled_at = now() where id = $1', [email])
    await service.database.execute('update deliveries set due_at = now() where email_id = $1', [email])
    service.service.context.wakeWorkers()
    await untilEvent(service, email, 'failed')
    const [told] = await service.database.execute<{ data: { detail: object } }>(
      `select data from notifications where subject_id = $1 and type = 'email.failed'`,
      [email],
    )
    expect(told?.data.detail).toEqual({
      failed: { reason: 'When the email was due, the domain later.example of its sender was not verified.' },
    })
  })
})
