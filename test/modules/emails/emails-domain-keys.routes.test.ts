import { beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { failure, outcome } from '../../support/builders/answers.ts'
import { countStored, emailInput } from '../../support/builders/emails.ts'
import { untilEvent } from '../../support/builders/engine.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const DELETED =
  'This API key may only send from a domain that has been deleted, so it cannot send. Use another key; registering the domain again does not help.'

const from = (domain: string, more: object = {}) => emailInput({ from: `Acme <hello@${domain}>`, ...more })

describe.each(['any', 'verified'])('a key of a domain, with SENDER_POLICY=%s', (policy) => {
  let ours: string
  let domainId: string
  let token: string
  const service = shared(() => startTestService({ environment: { SENDER_POLICY: policy, ROLES: 'api,worker' } }))

  beforeEach(async () => {
    await service.database.execute('truncate domains, domain_records cascade')
    // A name of its own, because names are remembered for a second.
    ours = `${createId()}.example`
    domainId = await register(ours)
    const body = { name: 'Bound', permission: 'sending_access', domain_id: domainId.toUpperCase() }
    token = ((await service.call('POST', '/api-keys', { body })).body as { token: string }).token
  })

  async function register(name: string): Promise<string> {
    const { id } = (await service.call('POST', '/domains', { body: { name } })).body as { id: string }
    await service.database.execute(`update domains set status = 'verified', owns_name = true, can_send = true where id = $1`, [id])
    return id
  }
  const elsewhere = (domain: string) =>
    `This API key may only send from the domain \`${ours}\`, not from \`${domain}\`. Use a key for that domain.`
  const send = (body: object) => service.call('POST', '/emails', { body, token })
  const remove = (id: string) => service.call('DELETE', `/domains/${id}`)

  it('sends from that domain', async () => {
    expect((await send(from(ours.toUpperCase()))).status).toBe(200)
  })

  it('is refused for a subdomain, the domain above and any other, although the team may send from them', async () => {
    for (const name of [`mail.${ours}`, 'other.example']) await register(name)
    const { emails } = await countStored(service)
    for (const name of [`mail.${ours}`, 'other.example', 'example.org'])
      expect(outcome(await send(from(name)))).toEqual(failure(403, 'validation_error', elsewhere(name)))
    expect(await countStored(service)).toMatchObject({ emails })
  })

  it('is refused for a batch as a whole, or for the emails that are from elsewhere', async () => {
    const body = [from(ours), from('other.example')]
    const message = elsewhere('other.example')
    expect(outcome(await service.call('POST', '/emails/batch', { body, token }))).toEqual(
      failure(403, 'validation_error', `Email 1 of the batch (from 0): ${message}`),
    )
    expect(await service.call('POST', '/emails/batch', { body, token, headers: { 'x-batch-validation': 'permissive' } })).toMatchObject({
      status: 200,
      body: { data: [{ id: expect.any(String) }], errors: [{ index: 1, name: 'validation_error', message }] },
    })
  })

  it('can send nothing from the moment in which the domain is deleted, also when it is registered again', async () => {
    expect((await send(from(ours))).status).toBe(200)
    await remove(domainId)
    expect(outcome(await send(from(ours)))).toEqual(failure(403, 'validation_error', DELETED))
    await register(ours)
    expect(outcome(await send(from(ours)))).toEqual(failure(403, 'validation_error', DELETED))
    expect((await service.call('GET', '/api-keys')).body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ name: 'Bound' })]),
    })
  })

  it('can send nothing within a second when another process deletes the domain', async () => {
    expect((await send(from(ours))).status).toBe(200)
    await service.database.execute('delete from domains where id = $1', [domainId])
    const deletedMs = performance.now()
    let acceptedMs = deletedMs
    await until(async () => {
      const askedMs = performance.now()
      const answer = await send(from(ours))
      if (answer.status === 200) acceptedMs = askedMs
      expect(outcome(answer)).toEqual(failure(403, 'validation_error', DELETED))
    })
    // What was sent later was never accepted, however late its answer is.
    expect(acceptedMs - deletedMs).toBeLessThan(1_100)
  })

  it('does not deliver what it scheduled when the domain is deleted before, and says why', async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
    const scheduled = (await send(from(ours, { scheduled_at: scheduledAt }))).body as { id: string }
    // More than a deletion cancels.
    await service.service.context.repositories.domains.deleteDomain(service.teamId, domainId)
    await register(ours)
    await service.database.execute('update emails set scheduled_at = now() where id = $1', [scheduled.id])
    await service.database.execute('update deliveries set due_at = now() where email_id = $1', [scheduled.id])
    service.service.context.wakeWorkers()
    await untilEvent(service, scheduled.id, 'failed')
    const [told] = await service.database.execute<{ data: { detail: object } }>(
      `select data from notifications where subject_id = $1 and type = 'email.failed'`,
      [scheduled.id],
    )
    expect(told?.data.detail).toEqual({
      failed: { reason: 'When the email was due, the only domain that its API key may send from had been deleted.' },
    })
  })
})
