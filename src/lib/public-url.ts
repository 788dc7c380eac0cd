/** Where the service is reached: as PUBLIC_URL says, or on this machine. */
export const publicUrlOf = ({ publicUrl, port }: { publicUrl: string | null; port: number }): string =>
  publicUrl ?? `http://localhost:${port}`
