export const PERIOD_TEXTS = {
  spans: { day: '24 hours', week: '7 days', month: '30 days' },
  span: (title: string) => `${title}: over what time`,
  hour: 'Hour (UTC)',
  day: 'Day (UTC)',
  hours: 'Hours are in UTC.',
  days: 'Days are in UTC.',
}
