/** Where clients reach the service: at PUBLIC_URL, or on this machine. */
export const publicUrlOf = ({ publicUrl, port }: { publicUrl: string | null; port: number }): string =>
  publicUrl ?? `http://localhost:${port}`

/**
 * Where a tracking host answers: on its own TLS listener, or else where the API does, because its DNS record leads there.
 *
 * @param publicUrl of the API
 */
export function trackingUrlOf(host: string, { publicUrl, tls }: { publicUrl: string; tls: { port: number } | null }): string {
  if (tls !== null) return new URL(`https://${host}:${tls.port}`).origin
  const { protocol, port } = new URL(publicUrl)
  return new URL(`${protocol}//${host}${port && `:${port}`}`).origin
}
