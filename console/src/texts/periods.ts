export const PERIOD_TEXTS = {
  spans: { day: '24 hours', week: '7 days', month: '30 days' },
  hour: 'Hour (UTC)',
  day: 'Day (UTC)',
}
