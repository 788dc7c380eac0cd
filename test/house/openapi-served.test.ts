import { describe, expect, it } from 'vitest'
import { describeApi } from '../../src/cli/generated/generated-files.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import type { Document } from './openapi-document.ts'

const document = (await describeApi()) as Document

describe('without a key', () => {
  // The operations of the operator stand in the document of an installation that has this key.
  const service = shared(() => startTestService({ environment: { OPERATOR_KEY: 'the-key-of-the-operator-of-this-test' } }))

  it('serves the document', async () => {
    const answer = await service.call('GET', '/openapi.json', { token: null })
    expect(answer).toMatchObject({ status: 200, body: { ...document, servers: [{ url: 'http://localhost:3000' }] } })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  it('serves the document with the public address, and to Swagger UI with the origin from which the page was opened', async () => {
    const mine = await startTestService({ environment: { PUBLIC_URL: 'https://mail.example.com' } })
    try {
      const serversAt = async (path: string) => (await mine.call('GET', path, { token: null })).body
      expect(await serversAt('/openapi.json')).toMatchObject({ servers: [{ url: 'https://mail.example.com' }] })
      expect(await serversAt('/docs/json')).toMatchObject({ servers: [{ url: '/' }] })
    } finally {
      await mine.close()
    }
  })

  it('serves Swagger UI and what it loads, all from this origin', async () => {
    const page = await service.call('GET', '/docs/', { token: null })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => new URL(url ?? '', `${service.url}/docs/`))
    expect(files.length).toBeGreaterThan(3)
    for (const file of files) {
      expect(file.origin).toBe(service.url)
      expect({ file: file.pathname, status: (await service.call('GET', file.pathname, { token: null })).status }).toEqual({
        file: file.pathname,
        status: 200,
      })
    }
  })
})
