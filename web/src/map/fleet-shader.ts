// The two programs that draw a vehicle: where it is at this moment, and its shape.

/** vertexSource places a point at the vehicle, between where it came from and where it goes. */
export const vertexSource = `#version 300 es
precision highp float;
layout(location = 0) in vec4 a_way;      // from x, y; to x, y
layout(location = 1) in vec4 a_look;     // start, duration; headings; state
layout(location = 2) in float a_hidden;
uniform mat4 u_matrix;
uniform float u_now;                     // seconds
uniform float u_size;                    // diameter in pixels of the device
uniform float u_bearing;                 // radians
uniform vec3 u_colour[4];
flat out int v_state;
flat out vec2 v_turn;                    // sine and cosine of the heading
flat out float v_pointed;                // whether the heading is known
flat out float v_alpha;
flat out vec3 v_colour;

void main() {
  float part = a_look.y > 0.0 ? clamp((u_now - a_look.x) / a_look.y, 0.0, 1.0) : 1.0;
  bool fades = a_look.w > 3.5;
  v_state = int(a_look.w + 0.5) & 3;
  v_alpha = fades ? part : 1.0;
  v_colour = u_colour[v_state];

  float before = floor(a_look.z / 512.0);
  float after = a_look.z - before * 512.0;
  v_pointed = after < 360.5 ? 1.0 : 0.0;
  float turn = mod(after - before + 540.0, 360.0) - 180.0;
  float heading = before < 360.5 ? before + turn * min(1.0, part * 2.0) : after;
  float angle = radians(heading) - u_bearing;

  v_turn = vec2(sin(angle), cos(angle));
  gl_PointSize = u_size * 1.28;
  gl_Position = u_matrix * vec4(mix(a_way.xy, a_way.zw, part), 0.0, 1.0);
  if (a_hidden > 0.5) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

/** fragmentSource draws the shape of the state: arrow, ring, disc, hollow ring; all with a thin casing. */
export const fragmentSource = `#version 300 es
precision highp float;
flat in int v_state;
flat in vec2 v_turn;
flat in float v_pointed;
flat in float v_alpha;
flat in vec3 v_colour;
uniform vec3 u_casing;
uniform float u_size;
uniform float u_thin;                    // of the casing, in diameters
out vec4 colour;

// A navigation arrow that points up: left of one side, above one half of the foot,
// mirrored. The distance is exact along the edges, which is where it is looked at.
float arrow(vec2 p) {
  p.x = abs(p.x);
  return max(dot(p - vec2(0.0, 0.54), vec2(0.926, 0.378)), dot(p - vec2(0.40, -0.44), vec2(-0.447, -0.894)));
}

// How much of a pixel lies within a distance.
float cover(float d) {
  return clamp(0.5 - d * u_size * 0.8, 0.0, 1.0);
}

void main() {
  vec2 at = (gl_PointCoord - 0.5) * vec2(1.28, -1.28); // in diameters
  float d;
  if (v_state == 0 && v_pointed > 0.5) {
    d = arrow(vec2(at.x * v_turn.y - at.y * v_turn.x, at.x * v_turn.x + at.y * v_turn.y));
  } else if (v_state == 0) {
    d = (abs(at.x) + abs(at.y) - 0.5) * 0.7071; // a diamond: it drives, nobody knows where to
  } else if (v_state == 1) {
    d = abs(length(at) - 0.34) - 0.13;
  } else if (v_state == 3) {
    d = abs(length(at) - 0.34) - max(0.055, 0.7 / u_size);
  } else {
    d = length(at) - 0.42;
  }
  float body = cover(d);
  float whole = cover(d - u_thin);
  // The middle of rings is filled with the casing, so that they read on any ground.
  if (v_state == 1 || v_state == 3) whole = max(whole, cover(length(at) - 0.36));
  float alpha = max(body, whole) * v_alpha;
  if (alpha < 0.01) discard;
  colour = vec4(mix(u_casing, v_colour, body), 1.0) * alpha;
}`;

/** link compiles and links the two; it throws with the driver's words when they do not. */
export function link(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertexSource],
    [gl.FRAGMENT_SHADER, fragmentSource],
  ] as const) {
    const shader = gl.createShader(kind);
    if (!shader) throw new Error('The graphics context is lost.');
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
      throw new Error(gl.getShaderInfoLog(shader) ?? 'The shader does not compile.');
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS))
    throw new Error(gl.getProgramInfoLog(program) ?? 'The shaders do not link.');
  return program;
}
