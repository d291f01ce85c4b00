# Compiled sources of the room geometry, relative to it.
set(geometry_SRCS itkRadiographGeometry.cxx itkRadiographGeometryJSON.cxx itkViewBuilders.cxx)
