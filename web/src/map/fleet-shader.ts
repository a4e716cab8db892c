// The two programs that draw a vehicle: where it is at this moment, and its shape.

// Both are written without branches: software that draws runs every branch of every
// pixel, and what is the same for all pixels of a vehicle is worked out once for it.

/** vertexSource places a point at the vehicle, between where it came from and where it goes. */
export const vertexSource = `#version 300 es
precision highp float;
layout(location = 0) in vec4 a_way;      // from x, y; to x, y
layout(location = 1) in vec4 a_look;     // start, duration; headings; state
uniform mat4 u_matrix;
uniform float u_now;                     // seconds
uniform float u_size;                    // diameter in pixels of the device
uniform float u_thin;                    // of the casing, in pixels of the device
uniform float u_bearing;                 // radians
uniform vec3 u_colour[4];
flat out vec4 v_turn;                    // sine and cosine of the heading; alpha; 1 when it is round
flat out vec4 v_sides;                   // the normals of two lines, which are mirrored
flat out vec2 v_reach;                   // how far the lines are from the middle
flat out vec3 v_ring;                    // radius; half its width; radius with the casing
flat out vec3 v_colour;

void main() {
  float part = a_look.y > 0.0 ? clamp((u_now - a_look.x) / a_look.y, 0.0, 1.0) : 1.0;
  int state = int(a_look.w + 0.5) & 3;
  float before = floor(a_look.z / 512.0);
  float after = a_look.z - before * 512.0;
  float turn = mod(after - before + 540.0, 360.0) - 180.0;
  float heading = before < 360.5 ? before + turn * min(1.0, part * 2.0) : after;
  bool pointed = after < 360.5;
  float angle = pointed ? radians(heading) - u_bearing : 0.0;
  v_turn = vec4(sin(angle), cos(angle), a_look.w > 3.5 ? part : 1.0, state == 0 ? 0.0 : 1.0);

  // Driving: an arrow, or a diamond where the heading is not known. The distance is exact
  // along the edges, which is where it is looked at.
  v_sides = pointed ? vec4(0.926, 0.378, -0.447, -0.894) : vec4(0.7071, 0.7071, 0.7071, -0.7071);
  v_reach = (pointed ? vec2(0.204, 0.2146) : vec2(0.3536)) * u_size;
  // Idling: a ring; silent: a thin one; stopped: a disc, which is a ring without a hole.
  vec2 ring = state == 1 ? vec2(0.34, 0.13) : state == 3 ? vec2(0.34, max(0.055, 0.7 / u_size)) : vec2(0.0, 0.42);
  // The middle of rings is filled with the casing, so that they read on any ground.
  v_ring = vec3(ring, ring.x + ring.y) * u_size + vec3(0.0, 0.0, u_thin);
  v_colour = u_colour[state];
  gl_PointSize = u_size * 1.28;
  gl_Position = u_matrix * vec4(mix(a_way.xy, a_way.zw, part), 0.0, 1.0);
}`;

/** fragmentSource draws the shape of the state with a thin casing; lengths are pixels of the device. */
export const fragmentSource = `#version 300 es
precision highp float;
flat in vec4 v_turn;
flat in vec4 v_sides;
flat in vec2 v_reach;
flat in vec3 v_ring;
flat in vec3 v_colour;
uniform vec3 u_casing;
uniform float u_size;
uniform float u_thin;
out vec4 colour;

void main() {
  vec2 at = (gl_PointCoord - 0.5) * vec2(1.28, -1.28) * u_size;
  vec2 turned = vec2(abs(at.x * v_turn.y - at.y * v_turn.x), at.x * v_turn.x + at.y * v_turn.y);
  float side = max(dot(turned, v_sides.xy) - v_reach.x, dot(turned, v_sides.zw) - v_reach.y);
  float away = length(at);
  vec2 within = mix(vec2(side, side - u_thin), vec2(abs(away - v_ring.x) - v_ring.y, away - v_ring.z), v_turn.w);
  vec2 cover = clamp(0.5 - within * 0.8, 0.0, 1.0);
  colour = vec4(mix(u_casing, v_colour, cover.x), 1.0) * (cover.y * v_turn.z);
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
