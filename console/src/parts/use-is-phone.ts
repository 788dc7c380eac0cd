import { useMediaQuery } from '@mantine/hooks'

/** Whether `hiddenFrom="sm"` would hide a part. */
export const useIsPhone = (): boolean => useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
