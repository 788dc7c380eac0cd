// Offers the reader's own time zone first. Without this script it is in the list, by its name.
const zones = document.getElementById('zone')
const own = Intl.DateTimeFormat().resolvedOptions().timeZone
const option = [...zones.options].find(({ value }) => value === own)
if (option) zones.prepend(option)
