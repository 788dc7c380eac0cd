const uses: Readonly<Record<string, string>> = {
  names: 'Used by',
  starts: 'Starts',
  continues: 'Is waited for by',
}

export const USE_TEXTS = {
  uses,
  more: (count: number) => `and ${count} more`,
}
