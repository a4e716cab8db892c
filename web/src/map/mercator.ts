// Web Mercator as MapLibre has it: the world is the square from 0 to 1.

/** circumference is the length of the equator in metres. */
export const circumference = 40_075_016.686;

/** mercatorX is the place of a longitude in the square. */
export const mercatorX = (lng: number): number => (lng + 180) / 360;

/** mercatorY is the place of a latitude in the square. */
export function mercatorY(lat: number): number {
  const bounded = Math.max(-85.051129, Math.min(85.051129, lat));
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + (bounded * Math.PI) / 360)) / (2 * Math.PI);
}

/** lngOf turns mercatorX around. */
export const lngOf = (x: number): number => x * 360 - 180;

/** latOf turns mercatorY around. */
export const latOf = (y: number): number => (360 / Math.PI) * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) - 90;

/** metresBetween is the distance of two near places of the square. */
export function metresBetween(x1: number, y1: number, x2: number, y2: number): number {
  // The cosine of a latitude is one over the hyperbolic cosine of its place.
  const dx = x2 - x1;
  const dy = y2 - y1;
  return (Math.sqrt(dx * dx + dy * dy) * circumference) / Math.cosh(Math.PI * (1 - y1 - y2));
}

/** haversine is the distance of two coordinates in metres, however far apart. */
export function haversine(lng1: number, lat1: number, lng2: number, lat2: number): number {
  const rad = Math.PI / 180;
  const a =
    Math.sin(((lat2 - lat1) * rad) / 2) ** 2 +
    Math.cos(lat1 * rad) * Math.cos(lat2 * rad) * Math.sin(((lng2 - lng1) * rad) / 2) ** 2;
  return (2 * Math.asin(Math.min(1, Math.sqrt(a))) * circumference) / (2 * Math.PI);
}
