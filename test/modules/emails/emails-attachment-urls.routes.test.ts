import { describe, expect, it } from 'vitest'
import { outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { countStored, send } from '../../support/builders/emails.ts'
import { until } from '../../support/clocks/until.ts'
import { file, startHttpSink, status } from '../../support/servers/http-sink.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const sink = shared(() =>
  startHttpSink({
    '/report.pdf': file('%PDF-', { 'content-type': 'application/pdf' }),
    '/unnamed': file('hello', {
      'content-type': 'text/plain',
      'content-disposition': `attachment; filename*=UTF-8''%D0%BE%D1%82%D1%87%D1%91%D1%82.txt`,
    }),
    '/gone': status(404),
  }),
)
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))

type Files = { data: { filename: string; content_type: string; size: number; download_url: string | null }[] }

async function untilLastEvent(id: string, lastEvent: string): Promise<void> {
  await until(async () => expect((await service.call('GET', `/emails/${id}`)).body).toMatchObject({ last_event: lastEvent }))
}

const filesOf = async (id: string): Promise<Files> => (await service.call('GET', `/emails/${id}/attachments`)).body as Files

describe('attachments by URL', () => {
  it('are fetched once after the answer, stored, and go with the email', async () => {
    const id = await send(service, { attachments: [{ path: `${sink.url}/report.pdf?from=test`, filename: 'Report.pdf' }] })
    await untilLastEvent(id, 'delivered')

    const { data } = await filesOf(id)
    expect(data).toEqual([
      {
        id: UUID,
        filename: 'Report.pdf',
        content_type: 'application/pdf',
        content_disposition: 'attachment',
        size: 5,
        download_url: expect.stringContaining('/downloads/'),
        expires_at: expect.any(String),
      },
    ])
    const { pathname } = new URL(data[0]?.download_url ?? '')
    expect((await service.call('GET', pathname, { token: null })).text).toBe('%PDF-')
    expect(sink.requests.filter((request) => request === 'GET /report.pdf?from=test')).toHaveLength(1)
  })

  it('have the name and the type that the server gives, when the client gave none', async () => {
    const id = await send(service, { attachments: [{ path: `${sink.url}/unnamed` }, { content: 'aGk=', filename: 'beside.txt' }] })
    await untilLastEvent(id, 'delivered')
    const { data } = await filesOf(id)
    expect(data.map(({ filename, content_type: type, size }) => ({ filename, type, size }))).toEqual([
      { filename: 'отчёт.txt', type: 'text/plain', size: 5 },
      { filename: 'beside.txt', type: 'text/plain', size: 2 },
    ])
  })

  it('are fetched at once, also for an email that is scheduled', async () => {
    const id = await send(service, { scheduled_at: 'in 1 hour', attachments: [{ path: `${sink.url}/report.pdf` }] })
    await until(async () => expect((await filesOf(id)).data[0]?.size).toBe(5))
    expect((await service.call('GET', `/emails/${id}`)).body).toMatchObject({ last_event: 'scheduled' })
    expect(outcome(await service.call('POST', `/emails/${id}/cancel`))).toEqual({ status: 200, body: { object: 'email', id } })
  })

  it('fail the email when the server refuses them, say why, and leave no file', async () => {
    const before = await countStored(service)
    const id = await send(service, {
      to: ['a@example.com', 'b@example.com'],
      attachments: [{ path: `${sink.url}/report.pdf` }, { path: `${sink.url}/gone`, filename: 'gone.txt' }],
    })
    await untilLastEvent(id, 'failed')

    expect((await service.call('GET', `/emails/${id}/events`)).body).toEqual({
      object: 'list',
      has_more: false,
      data: [
        {
          id: UUID,
          type: 'email.failed',
          to: ['a@example.com', 'b@example.com'],
          detail: { failed: { reason: 'The attachment gone.txt could not be fetched. The server answers with status 404.' } },
          created_at: TIMESTAMP,
          ...{ explanation: null, advice: null },
        },
      ],
    })
    await until(async () => expect((await countStored(service)).blobs).toBe(before.blobs))
  })
})
