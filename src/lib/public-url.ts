/** Where clients reach the service: at PUBLIC_URL, or on this machine. */
export const publicUrlOf = ({ publicUrl, port }: { publicUrl: string | null; port: number }): string =>
  publicUrl ?? `http://localhost:${port}`
