import { describe, expect, it } from 'vitest'
import { framePolicy } from '../../src/routes/public/email-frame.ts'

describe('framePolicy', () => {
  it('allows no script, no form, no frame and nothing of other servers', () => {
    expect(framePolicy(false)).toBe(
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    )
  })

  it('allows pictures of other servers when they were asked for, and nothing else', () => {
    expect(framePolicy(true)).toBe(framePolicy(false).replace("img-src data: 'self'", "img-src data: 'self' https: http:"))
  })
})
