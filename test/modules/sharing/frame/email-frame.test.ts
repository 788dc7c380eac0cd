import { createHash } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { framePolicy, withFrameScript } from '../../../../src/modules/sharing/frame/email-frame.ts'

const SCRIPT = /<script>(.*?)<\/script>/s.exec(withFrameScript(''))?.[1] ?? ''
const digest = createHash('sha256').update(SCRIPT).digest('base64')

describe('framePolicy', () => {
  it('allows no script but the one of ours, no form, no frame and nothing of other servers', () => {
    expect(framePolicy(false)).toBe(
      `sandbox allow-popups allow-popups-to-escape-sandbox allow-scripts; default-src 'none'; script-src 'sha256-${digest}'; style-src 'unsafe-inline'; img-src data: 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
    )
  })

  it('allows pictures of other servers when they were asked for, and nothing else', () => {
    expect(framePolicy(true)).toBe(framePolicy(false).replace("img-src data: 'self'", "img-src data: 'self' https: http:"))
  })
})

describe('withFrameScript', () => {
  it.each([
    ['<p>Hi</p>', `<script>${SCRIPT}</script><p>Hi</p>`],
    // Before the doctype a browser would lay the page out as it did in 1998.
    ['<!doctype html><p>Hi</p>', `<!doctype html><script>${SCRIPT}</script><p>Hi</p>`],
    ['<!doctype', `<script>${SCRIPT}</script><!doctype`],
    ['', `<script>${SCRIPT}</script>`],
  ])('comes first in %s', (document, wanted) => {
    expect(withFrameScript(document)).toBe(wanted)
  })
})

describe('the script of the frame', () => {
  it('measures the document, whatever the email calls its own things', () => {
    const heights: object[] = []
    const listeners: ((event: { source: unknown }) => void)[] = []
    const body = { scrollHeight: 30 }
    const root = { scrollHeight: 20, scrollWidth: 10, clientWidth: 10, querySelector: (name: string) => (name === 'body' ? body : null) }
    const addEventListener = (_type: string, listener: (event: { source: unknown }) => void) => listeners.push(listener)
    const document: Record<string, unknown> = { documentElement: root, addEventListener }
    const parent = { postMessage: (report: object) => heights.push(report) }
    runInNewContext(SCRIPT, { ...{ innerWidth: 10, innerHeight: 10, document, addEventListener }, parent })
    // `<img name=documentElement>` and `<form name=body>` have this effect.
    for (const name of ['documentElement', 'body', 'querySelector', 'addEventListener']) document[name] = {}
    const [onResize, onMessage, ...others] = listeners
    onResize?.({ source: null })
    onMessage?.({ source: {} })
    expect(heights).toEqual([])
    onMessage?.({ source: parent })
    for (const listener of others) listener({ source: null })
    expect(heights).toEqual(Array.from({ length: 4 }, () => ({ contentHeight: 30, frameHeight: 10 })))
  })
})
