// What the frame around the HTML of an email may do.

/** Neither scripts nor forms, and of no origin. A link may open a tab of its own, free of the sandbox: following links is what test mail is for. */
export const FRAME_SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'

/** What the frame may load: its own styles and our copies of inline images; pictures of other servers only when they were asked for. */
export function framePolicy(loadsRemoteImages: boolean): string {
  const images = loadsRemoteImages ? "img-src data: 'self' https: http:" : "img-src data: 'self'"
  return `sandbox ${FRAME_SANDBOX}; default-src 'none'; style-src 'unsafe-inline'; ${images}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`
}
